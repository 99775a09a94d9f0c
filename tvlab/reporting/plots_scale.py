"""A whole corpus of real servers, built once and recorded: yield, reasons, coverage, audit, fidelity.

The record lies in the project's ``benchmarks/`` (``corpus_build.json``, ``audit.csv``, ``fidelity.csv``), made by
the commands of ``benchmarks/README.md``; a corpus is not part of the project, so the notebook shows the record
with its date and says whether the code has changed since. Published figures stand in a column of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

import tvlab
from tvlab.foundation.atomic_files import read_json
from tvlab.foundation.places import home
from tvlab.foundation.published import published
from tvlab.foundation.stored_runs import source_hash
from tvlab.reporting.palette import KEPT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUESTIONS = ("success", "shape", "fields", "effect")


def corpus_record() -> dict[str, Any] | None:
    """Return the recorded build of the corpus, None where there is none."""
    path = home() / "benchmarks" / "corpus_build.json"
    return read_json(path) if path.is_file() else None


def record_is_current(record: Mapping[str, Any]) -> bool:
    """True if the code that builds environments is still that of the record."""
    package = Path(tvlab.__file__).parent
    return record["code"] == source_hash(*(package / room for room in ("foundation", "environments")))


def yield_table(record: Mapping[str, Any]) -> pd.DataFrame:
    """Return one row a figure of the whole build: what, measured, published (texts)."""
    paper = published()["dataset"]
    share = 1 - record["kept"] / record["tools"]
    rows = [
        ("servers", record["servers"], "nearly 400"),
        ("tools offered", f"{record['tools']:,}", "about 4,500"),
        ("tools kept", f"{record['kept']:,}", f"{paper['tools']:,}"),
        ("share of tools dropped", f"{share:.0%}", f"{paper['dropped_share']:.0%}"),
        ("environments", record["environments"], paper["environments"]),
        ("environments that carry tasks", record["carrying_tasks"], "not stated"),
        (
            "tools an environment",
            f"{record['mean_tools']:.1f}",
            f"{paper['tools_per_environment']} in the text; {paper['tools'] / paper['environments']:.1f} by division",
        ),
        ("kept tools of the 20 largest servers", f"{record['top_20_servers_share']:.0%}", "not stated"),
        *((f"tools by kind: {kind}", f"{n:,}", "not stated") for kind, n in sorted(record["tools_by_kind"].items())),
        ("optional parameters narrowed away", f"{record['narrowed_parameters']:,}", "not stated"),
        (
            "sentences taken out of published texts",
            f"{record['narrowed_sentences']:,} in {record['tools_with_narrowed_texts']:,} tools",
            "not stated",
        ),
        ("seconds, raw lists to verified folders", record["seconds"], "not stated"),
    ]
    return pd.DataFrame([{"what": w, "measured": str(m), "published": str(p)} for w, m, p in rows])


def reason_table(record: Mapping[str, Any]) -> pd.DataFrame:
    """Return the most frequent reasons for dropping a tool: stage, reason, tools, share of all tools offered."""
    return pd.DataFrame([{**row, "share": row["tools"] / record["tools"]} for row in record["top_reasons"]])


def domain_table(record: Mapping[str, Any]) -> pd.DataFrame:
    """Return environments and tools by macro-domain: domain, environments, tools."""
    return pd.DataFrame(record["macro_domains"])


def plot_domains(axis: Axes, domains: pd.DataFrame) -> Axes:
    """A bar for each macro-domain: kept tools, with the number of environments written behind."""
    axis.barh(domains["domain"], domains["tools"], color=KEPT)
    for position, (tools, environments) in enumerate(zip(domains["tools"], domains["environments"], strict=True)):
        axis.text(tools, position, f" {environments} environments", va="center", fontsize="small")
    axis.invert_yaxis()
    axis.margins(x=0.2)
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("tools kept")
    return axis


def audit_table() -> pd.DataFrame | None:
    """Return each blind round's rate of mis-modelled tools, with 95% Wilson intervals.

    Columns: round, judged, wrong, rate, low, high (against the published texts), the same with ``original_`` (against
    all words of the real server) and with ``values_`` (seeded records alone; missing in rounds that did not judge
    them apart).
    """
    path = home() / "benchmarks" / "audit.csv"
    if not path.is_file():
        return None
    rows = []
    for number, judged in pd.read_csv(path).groupby("round"):
        row: dict[str, Any] = {"round": number, "judged": len(judged)}
        for column, prefix in (("verdict", ""), ("original", "original_"), ("values", "values_")):
            row |= {f"{prefix}{name}": value for name, value in _rate(judged[column]).items()}
        rows.append(row)
    return pd.DataFrame(rows)


def _rate(verdicts: pd.Series) -> dict[str, Any]:
    from scipy.stats import binomtest

    if verdicts.isna().any():
        return dict.fromkeys(("wrong", "rate", "low", "high"), float("nan"))
    wrong = int((verdicts == "wrong").sum())
    interval = binomtest(wrong, len(verdicts)).proportion_ci(0.95, method="wilson")
    return {"wrong": wrong, "rate": wrong / len(verdicts), "low": interval.low, "high": interval.high}


def fidelity_table() -> pd.DataFrame | None:
    """Return the recorded agreement with real servers, a row a server and one for all (``agreement_rates``)."""
    path = home() / "benchmarks" / "fidelity.csv"
    return agreement_rates(pd.read_csv(path)) if path.is_file() else None


def agreement_rates(calls: pd.DataFrame) -> pd.DataFrame:
    """Return a row a server and one for all: calls, those on kept tools, and the share of agreement by question.

    Args:
        calls: one row a call, with ``server``, ``kept`` and the questions success, shape, fields and effect, each
            True, False or missing where it does not arise (``fields`` is a share).
    """
    rows = []
    for name, part in [*calls.groupby("server", sort=True), ("all", calls)]:
        row: dict[str, Any] = {"server": name, "calls": len(part)}
        row["on_kept_tools"] = int(part["kept"].astype(bool).sum())
        for question in QUESTIONS:
            asked = pd.to_numeric(part[question].replace({"True": 1, "False": 0}).dropna().astype(float))
            row[question] = asked.mean() if len(asked) else float("nan")
            row[f"n_{question}"] = len(asked)
        rows.append(row)
    return pd.DataFrame(rows)
