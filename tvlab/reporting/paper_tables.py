"""The paper's tables, published figures beside measured ones in columns of their own.

Published figures come from ``published()`` and stay as published. Measured ones come from saved tables of one
profile (``SOURCES``) with interval, n and profile; they are those of this project's policies and environments, so
a difference between the columns is no replication and no refutation. What no table holds reads "not run" with
the reason. Rows that stand in one column only are kept.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from tvlab.foundation.errors import UserError
from tvlab.foundation.places import standard_results, tables_folder
from tvlab.foundation.profiles import get_profile
from tvlab.foundation.published import published
from tvlab.reporting.paper_table_files import write_paper_table
from tvlab.reporting.tables import load_table, table_provenance

BENCHMARKS = {"bfcl": "BFCL-v3 multi-turn", "tau2": "tau2-bench", "acebench": "ACEBench agent"}
SIZES = ("small", "medium", "large")
#: {table: why it is not there, if it is not}
SOURCES = {
    "ablation_scores": "notebook 06 has not run in this profile",
    "main_scores": "notebook 10 has not run in this profile",
    "environment_scale": "notebook 08 has not run in this profile",
    "benchmark_scores": "notebook 13 has not run in this profile: it needs a model behind an endpoint",
}
_COMPONENTS = {
    "base": "untrained",
    "grpo": "grpo",
    "local only": "turn_local",
    "local + future, no gate": "turn_local_future",
    "tara": "tara",
}
_NO_GPU = "trained language models need GPUs: notebook 12"


def write_paper_tables(profile: str) -> dict[str, pd.DataFrame]:
    """Write every table as ``paper_NAME.csv``, ``.md`` and ``.tex``; return {NAME: table}."""
    folder = tables_folder(profile)
    return {
        name: write_paper_table(pd.DataFrame(list(make(profile))), name, caption, profile, folder)
        for name, (caption, make) in TABLES.items()
    }


def measured(table: str, profile: str) -> tuple[pd.DataFrame, str]:
    """Return the rows of a saved table (none if it is not there) and why there are none.

    Raises:
        UserError: the table is there and lacks the columns ``score``, ``low`` and ``high``.
    """
    try:
        frame = load_table(table, profile)
    except UserError:
        return pd.DataFrame(columns=["score", "low", "high"]), SOURCES[table]
    lacking = {"score", "low", "high"} - set(frame)
    if lacking:
        raise UserError(f"table {table} of profile {profile} lacks {', '.join(sorted(lacking))}: write it again")
    return frame, ""


def main_rows(profile: str) -> Iterable[dict[str, Any]]:
    """Yield the paper's three models x arms, and beside each the lab policy of the same rank of size."""
    rows, why = measured("main_scores", profile)
    models = list(dict.fromkeys(row["model"] for row in published()["main"]))
    for row in published()["main"]:
        size = SIZES[models.index(row["model"])]
        arm = "untrained" if row["arm"] == "base" else row["arm"]
        chosen = _where(rows, size=size, arm=arm)
        yield from _beside(
            {"model": row["model"], "arm": row["arm"], **_published(row, BENCHMARKS), "lab policy": size},
            chosen,
            why or f"arm {arm} of size {size} is not in main_scores",
            "main_scores",
            profile,
        )
    yield from _benchmark_rows(profile)


def baseline_rows(profile: str) -> Iterable[dict[str, Any]]:
    """Yield the public baselines on one 7B model; none of them is trained or evaluated here."""
    about = published()["public_baselines"]
    chosen = {name: BENCHMARKS[name] for name in ("bfcl", "tau2")}
    for row in about["rows"]:
        head = {"model": about["model"], "arm": row["arm"], **_published(row, chosen)}
        yield {**head, **_not_run(f"the baselines' models are not evaluated here; {_NO_GPU}")}


def component_rows(profile: str) -> Iterable[dict[str, Any]]:
    """Yield the parts of the advantage; measured is the lab policy's turn reward on held-out environments."""
    rows, why = measured("ablation_scores", profile)
    chosen = {name: BENCHMARKS[name] for name in ("bfcl", "tau2")}
    for row in published()["components_8b"]:
        arm = _COMPONENTS[row["arm"]]
        head = {"arm": row["arm"], **_published(row, chosen), "lab arm": arm}
        missing = why or f"arm {arm} is not in ablation_scores"
        yield from _beside(head, _where(rows, arm=arm), missing, "ablation_scores", profile)
    others = rows[~rows["arm"].isin(_COMPONENTS.values())] if "arm" in rows else rows
    for _, one in others.iterrows():
        head = {"arm": "", **_published({}, chosen), "lab arm": one["arm"]}
        yield from _beside(head, pd.DataFrame([one]), "", "ablation_scores", profile)


def scale_rows(profile: str) -> Iterable[dict[str, Any]]:
    """Yield numbers of training environments, the paper's and those measured here."""
    rows, why = measured("environment_scale", profile)
    chosen = {name: BENCHMARKS[name] for name in ("bfcl", "tau2")}
    known = {row["environments"]: row for row in published()["environment_scale_8b"]}
    counts = sorted({*known, *(rows["environments"].astype(int) if "environments" in rows else ())})
    for count in counts:
        head = {"environments": count, **_published(known.get(count, {}), chosen)}
        missing = why or "this number of environments was not trained on"
        yield from _beside(head, _where(rows, environments=count), missing, "environment_scale", profile)


def statistics_rows(profile: str) -> Iterable[dict[str, Any]]:
    """Yield the data set's sizes: published, of the embedded servers in this profile, of the corpus's record."""
    data = published()["dataset"]
    here = _sizes(profile)
    corpus = _corpus_sizes(profile)
    by_division = f"{data['tools_per_environment']} in the text; {data['tools'] / data['environments']:.1f} by division"
    for what, paper in (
        ("environments", data["environments"]),
        ("tools", data["tools"]),
        ("tools an environment", by_division),
        ("items", data["items"]),
        ("user turns an item", data["tasks_per_item"]),
        ("share of tools dropped", f"{data['dropped_share']:.0%}"),
    ):
        yield {
            "what": what,
            "published": str(paper),
            f"measured, profile {profile}": here.get(what, "not run"),
            "measured, corpus": corpus.get(what, "not run"),
            "note": "" if here.get(what) and corpus.get(what) else "not run: no saved table holds it",
        }


def scope_rows(profile: str) -> Iterable[dict[str, Any]]:
    """Yield what the paper's setting covers and what this project runs in the profile."""
    data, training, tests = (published()[part] for part in ("dataset", "training", "evaluation"))
    scale = get_profile(profile)
    benchmarks, why = measured("benchmark_scores", profile)
    ran = sorted(set(benchmarks["benchmark"])) if "benchmark" in benchmarks else []
    toolsets = f"{data['toolset_size_min']} to {data['toolset_size_max']}"
    rollouts = training["rollouts_per_group"]
    rows = (
        ("tools come from", data["mcp_servers_raw"], "embedded servers; a corpus of 698 servers' tool lists", ""),
        ("tools in a toolset", toolsets, toolsets, ""),
        ("teacher that filters", f"{data['teacher']}, {data['teacher_filter']}", "search teacher, or an endpoint", ""),
        ("user", data["user_simulator"], "scripted words", ""),
        ("trained", "language models of 4B to 14B", scale.trains, _NO_GPU),
        ("machines", training["gpus"], scale.machine, ""),
        ("items an update", str(training["global_batch_size"]), str(scale.items_per_update), ""),
        ("rollouts of an item", "not stated" if rollouts is None else str(rollouts), str(scale.rollouts), ""),
        ("lambda, gamma", f"{training['lambda']}, {training['gamma']}", "0.5, 0.5", ""),
        ("benchmarks", ", ".join(tests["benchmarks"]), ", ".join(ran) or "not run", why),
        ("runs averaged", str(tests["runs_averaged"]), f"{scale.seeds} training seeds", ""),
        ("other data sets", "not in the record of published figures", "not run", "nothing to compare with"),
    )
    for what, paper, ours, note in rows:
        yield {"what": what, "published": paper, f"here, profile {profile}": ours, "note": note}


TABLES = {
    "main": ("Main results: published benchmark scores (%) beside the lab policy's turn reward.", main_rows),
    "baselines": ("Public baselines on Qwen2.5-7B-Instruct, as published (%).", baseline_rows),
    "components": ("Components: published scores of an 8B model (%) beside the lab policy's reward.", component_rows),
    "statistics": ("Size of environments and items, published and measured.", statistics_rows),
    "scale": ("Training environments: published scores of an 8B model (%) beside the lab policy.", scale_rows),
    "scope": ("What the paper's setting covers and what is run here.", scope_rows),
}


def _published(row: Mapping[str, Any], benchmarks: Mapping[str, str]) -> dict[str, str]:
    """Return the published cells as text, so that a figure that is not known does not read as one not run."""
    return {
        f"published {words}": f"{row[name]:.2f}" if row.get(name) is not None else "not published"
        for name, words in benchmarks.items()
    }


def _where(rows: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    for column, value in wanted.items():
        if column not in rows:
            return rows.iloc[:0]
        rows = rows[rows[column] == value]
    return rows


def _beside(
    head: Mapping[str, Any], rows: pd.DataFrame, missing: str, table: str, profile: str
) -> Iterable[dict[str, Any]]:
    """Yield ``head`` with each measured row; once with "not run" if there is none."""
    if rows.empty:
        yield {**head, **_not_run(missing)}
    for _, row in rows.iterrows():
        yield {
            **head,
            "measured": float(row["score"]),
            "low": float(row["low"]),
            "high": float(row["high"]),
            "n": str(row["units"]) if "units" in row else _n(table, profile),
            "profile": profile,
            "note": ", ".join(str(row[name]) for name in ("condition", "plot") if name in row),
        }


def _not_run(why: str) -> dict[str, Any]:
    nothing = float("nan")
    return {"measured": nothing, "low": nothing, "high": nothing, "n": "", "profile": "", "note": f"not run: {why}"}


def _n(table: str, profile: str) -> str:
    return ", ".join(f"{count} {what}" for what, count in table_provenance(table, profile)["n"].items())


def _benchmark_rows(profile: str) -> Iterable[dict[str, Any]]:
    """Yield benchmark scores measured here, each a row of its own: the models are not the paper's."""
    rows, _ = measured("benchmark_scores", profile)
    for _, row in rows.iterrows():
        bench = str(row["benchmark"])
        words = "GUST, held out" if bench == "gust" else BENCHMARKS.get(bench, bench)
        head = {"model": row["model"], "arm": row.get("arm", "base"), **_published({}, BENCHMARKS), "lab policy": ""}
        for made in _beside(head, pd.DataFrame([row]), "", "benchmark_scores", profile):
            yield {**made, "note": f"{words}, in %"}


def _sizes(profile: str) -> dict[str, str]:
    sizes: dict[str, str] = {}
    if _there("environments", profile):
        built = load_table("environments", profile)
        tools = int(built["tools"].sum())
        sizes |= {"environments": str(len(built)), "tools": str(tools)}
        sizes["tools an environment"] = f"{tools / len(built):.1f}"
        offered = table_provenance("environments", profile)["n"].get("tools", 0)
        if offered:
            sizes["share of tools dropped"] = f"{1 - tools / offered:.0%}"
    if _there("gust_items", profile):
        sizes["items"] = str(table_provenance("gust_items", profile)["n"].get("items", "not run"))
        sizes["user turns an item"] = f"{load_table('gust_items', profile)['turns'].mean():.1f}"
    return sizes


def _corpus_sizes(profile: str) -> dict[str, str]:
    """Return sizes of the corpus: of its environments, and of the items of those among them that carry tasks."""
    found: dict[str, str] = {}
    if _there("corpus_yield", profile):
        found |= load_table("corpus_yield", profile).astype(str).set_index("what")["measured"].to_dict()
        found["tools"] = found.get("tools kept", "not run")
    if _there("gust_published", profile):
        made = load_table("gust_published", profile).astype(str).set_index("figure")["corpus"].to_dict()
        if made.get("items", "not run") != "not run":
            found["items"] = f"{made['items']} of {made['environments']} environments"
            found["user turns an item"] = made["user turns an item"]
    return found


def _there(name: str, profile: str) -> bool:
    places = (tables_folder(profile), standard_results(profile) / "tables")
    return any((place / f"{name}.csv").is_file() for place in places)
