"""The card of a dataset: its statistics beside the paper's, where its items come from, what was not done."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tvlab.foundation.published import published
from tvlab.tasks.equivalent_plans import PLAN_COUNTS
from tvlab.tasks.item import Item
from tvlab.tasks.item_statistics import item_rows
from tvlab.tasks.pass_at_k import pass_rows
from tvlab.tasks.rewriting import summed

KS = (1, 2, 4, 8)
_NO_MODEL = "pass@k of a model (no endpoint was given)"


def _published() -> dict[str, Any]:
    """The paper's figures by the names used here; its "tasks an item" are user turns.

    It gives 12.2 tools an environment, though 4438 / 422 is 10.5; the first is shown.
    """
    figures = dict(published()["dataset"])
    names = ("items", "environments", "tools", "tools_per_environment")
    return {**{name: figures[name] for name in names}, "user_turns_per_item": figures["tasks_per_item"]}


def card_of(
    items: Mapping[str, Sequence[Item]],
    parts: Mapping[str, Sequence[str]],
    rows: Mapping[str, Mapping[str, Any]],
    twins: Sequence[tuple[str, str, float]],
    settings: Mapping[str, Any],
    decontamination: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the card.

    Args:
        items: of every environment.
        parts: names of environments by part of the split.
        rows: what is known of every environment: tools, source, has_items.
        twins: near-duplicates.
        settings: of the dataset.
        decontamination: the report (``decontamination.py``); None if nothing was compared.
    """
    every = [item for made in items.values() for item in made]
    used = sorted(name for name, made in items.items() if made)
    counts = {name: len(items[name]) for name in used}
    return {
        "settings": dict(settings),
        "statistics": statistics_of(every, used, rows),
        "published": _published(),
        "parts": {
            part: {"environments": list(names), "items": sum(counts[name] for name in names)}
            for part, names in parts.items()
        },
        "environments": [
            {
                "name": name,
                "items": counts[name],
                "share": counts[name] / len(every),
                "tools": rows[name]["tools"],
                "data_edges": rows[name].get("data_edges"),
                "few_changing_tools": bool(rows[name].get("few_changing_tools")),
                "license": _license(rows[name]),
                "origin": _origin(rows[name]),
            }
            for name in used
        ],
        "without_tasks": sorted(name for name in rows if name not in used),
        "why_without_tasks": dict(
            sorted(Counter(str(rows[name].get("why") or "not told") for name in rows if name not in used).items())
        ),
        "left_out_as_benchmark": sorted(name for name, row in rows.items() if row.get("benchmark")),
        "licenses": dict(sorted(Counter(_license(rows[name]) for name in used).items())),
        "near_duplicates": [list(pair) for pair in twins],
        "pass_at_k": _teacher_rows(every),
        "difficulty": difficulty_counts(every),
        "models": [],
        "equivalent_plans": plan_rows([rows[name]["plans"] for name in used if "plans" in rows[name]]),
        "rejected_drafts": rejected_drafts(every),
        "rewriting": _rewriting(rows, used),
        "proposals": _proposals(rows),
        "decontamination": _without_matches(decontamination),
        "not_run": _not_run(every, decontamination),
    }


def with_models(card: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a card with the records of models that tried items (``model_passes.py``)."""
    left = [reason for reason in card["not_run"] if reason != _NO_MODEL or not records]
    return {**card, "models": [dict(record) for record in records], "not_run": left}


def statistics_of(
    items: Sequence[Item], used: Sequence[str], rows: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the figures of a dataset; means are over items unless the name says otherwise."""
    table = item_rows(items)
    turns = [turn for item in items for turn in item.turns]
    calls = [call for item in items for _, call in item.golden()]
    return {
        "items": len(items),
        "environments": len(used),
        "environments_with_few_changing_tools": sum(bool(rows[name].get("few_changing_tools")) for name in used),
        "tools": sum(rows[name]["tools"] for name in used),
        "tools_per_environment": _mean([rows[name]["tools"] for name in used]),
        "user_turns_per_item": _mean([row["turns"] for row in table]),
        "calls_per_item": _mean([row["calls"] for row in table]),
        "calls_per_turn": len(calls) / max(len(turns), 1),
        "depth": _mean([row["depth"] for row in table]),
        "reference_distance_longest": max((row["longest_reference"] for row in table), default=0),
        "references_per_item": _mean([row["references"] for row in table]),
        "facts_per_item": _mean([row["facts"] for row in table]),
        "words_per_turn": _mean([len(turn.words.split()) for turn in turns]),
        "share_of_changing_calls": _mean([call.writes for call in calls]),
        "largest_share_of_one_environment": max(Counter(i.environment for i in items).values()) / len(items),
        "turn_kinds": dict(sorted(Counter(turn.kind for turn in turns).items())),
        "turns_per_item": dict(sorted(Counter(str(len(item.turns)) for item in items).items())),
        "items_by_depth": dict(sorted(Counter(str(row["depth"]) for row in table).items())),
        "items_by_components": dict(sorted(Counter(str(row["components"]) for row in table).items())),
        "draws_per_item": _mean([row["draws"] for row in table]),
    }


def rejected_drafts(items: Sequence[Item]) -> dict[str, int]:
    """Return why drafts were given up before these items passed, the most frequent first."""
    counts: Counter[str] = Counter()
    for item in items:
        counts.update(item.filters.get("rejected", {}))
    return dict(counts.most_common())


def plan_rows(found: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return the rows of ``plan_counts`` of some environments, summed; none of them gives no rows."""
    sums: dict[str, Counter[str]] = {}
    for row in (row for rows in found for row in rows):
        count = sums.setdefault(row["way"], Counter(dict.fromkeys(PLAN_COUNTS, 0)))
        for name in PLAN_COUNTS:
            count[name] += row[name]
    return [{"way": way, **count} for way, count in sorted(sums.items())]


def _teacher_rows(items: Sequence[Item]) -> list[dict[str, Any]]:
    results = [item.filters["teacher"] for item in items if "teacher" in item.filters]
    return [row for row in pass_rows(results, KS) if row["items"]]


def difficulty_counts(items: Sequence[Item]) -> dict[str, Any] | None:
    """Return how many items the teacher solved how often: teacher, attempts, solved (items by times); None if not run.

    An item's difficulty is the share of attempts that failed.
    """
    results = [item.filters["teacher"] for item in items if "teacher" in item.filters]
    if not results:
        return None
    counts = Counter(result["successes"] for result in results)
    first = results[0]
    return {
        "teacher": first["name"],
        "attempts": first["attempts"],
        "solved": {str(times): counts[times] for times in range(first["attempts"] + 1)},
    }


def _proposals(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, int] | None:
    """Return what came of a model's proposals of edges, all environments together; None if none was asked."""
    asked = [row["proposals"] for row in rows.values() if "proposals" in row]
    if not asked:
        return None
    refused = sum(sum(one["refused"].values()) for one in asked)
    return {name: sum(one[name] for one in asked) for name in ("made", "held")} | {"refused": refused}


def _rewriting(rows: Mapping[str, Mapping[str, Any]], used: Sequence[str]) -> dict[str, Any] | None:
    counts = [rows[name]["rewriting"] for name in used if "rewriting" in rows[name]]
    return summed(counts) if counts else None


def _without_matches(report: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The report's counts; places on a machine and the matches stay in ``decontamination.json``."""
    if report is None:
        return None
    compared = [{key: of[key] for key in ("name", "tools", "tasks")} for of in report["benchmarks"]]
    return {
        "benchmarks": compared,
        "ngram": report["ngram"],
        "counts": report["counts"],
        "matching_items": len(report["items"]),
        "removed": report["removed"],
    }


def _not_run(items: Sequence[Item], decontamination: Mapping[str, Any] | None) -> list[str]:
    reasons = []
    if decontamination is None:
        reasons.append("comparison with the tools and tasks of benchmarks (`--decontaminate` was not given)")
    if not any("teacher" in item.filters for item in items):
        reasons.append("pass@k of the search teacher (no attempts were asked for)")
    reasons.append(_NO_MODEL)
    if not all(item.filters.get("graph_replay") for item in items):
        reasons.append("replay as a LangGraph graph")
    return reasons


def _license(row: Mapping[str, Any]) -> str:
    """The licence of the server itself; where only that of a collection is known, this."""
    source = row["source"]
    return str(source.get("upstream_license") or source.get("license") or "not stated")


def _origin(row: Mapping[str, Any]) -> str:
    names = ("origin", "repository", "package", "upstream", "repo")
    return str(next((row["source"][name] for name in names if row["source"].get(name)), "not stated"))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
