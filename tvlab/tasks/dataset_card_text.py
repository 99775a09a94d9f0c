"""The card of a dataset as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tvlab.tasks.equivalent_plans import OTHER_CHANGES


def card_text(card: Mapping[str, Any]) -> str:
    """Return the card as Markdown."""
    figures, published = card["statistics"], card["published"]
    lines = [
        "# GUST items",
        "",
        "Made by `tvlab tasks`: multi-turn requests on verified environments. Every golden call is necessary.",
        "",
        "| figure | this dataset | published |",
        "| --- | --- | --- |",
    ]
    for name, value in figures.items():
        if not isinstance(value, dict):
            lines.append(f"| {name.replace('_', ' ')} | {_shown(value)} | {_shown(published.get(name))} |")
    lines += ["", "The published figures are the paper's (arXiv 2607.15660), not reproduced here.", ""]
    lines += ["## Parts (split by environment)", "", "| part | environments | items |", "| --- | --- | --- |"]
    lines += [f"| {part} | {len(of['environments'])} | {of['items']} |" for part, of in card["parts"].items()]
    lines += ["", "## Turn kinds", "", "| kind | turns |", "| --- | --- |"]
    lines += [f"| {kind} | {count} |" for kind, count in figures["turn_kinds"].items()]
    lines += [
        "",
        "## Environments",
        "",
        "| name | items | share | tools | licence | origin |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row['name']} | {row['items']} | {100 * row['share']:.1f}% | {row['tools']} "
        f"| {row['license']} | {row['origin']} |"
        for row in card["environments"]
    ]
    lines += ["", "## Solvable by", ""]
    lines += _pass_lines(card)
    lines += _difficulty_lines(card["difficulty"])
    lines += _model_lines(card["models"])
    lines += _rewriting_lines(card["rewriting"])
    lines += _decontamination_lines(card["decontamination"])
    lines += _plan_lines(card["equivalent_plans"], figures["items"])
    lines += _proposal_lines(card["proposals"])
    lines += ["", "## Licences of the sources", "", "| licence | environments |", "| --- | --- |"]
    lines += [f"| {name} | {count} |" for name, count in card["licenses"].items()]
    twins = card["near_duplicates"]
    lines += ["", f"Near-duplicates (words without values, Jaccard index of shingles): {len(twins)} pairs."]
    lines += [f"Not run: {reason}." for reason in card["not_run"]]
    return "\n".join(lines) + "\n"


def _pass_lines(card: Mapping[str, Any]) -> list[str]:
    if not card["pass_at_k"]:
        return ["pass@k: not run."]
    rows = [f"| {row['k']} | {row['pass_at_k']:.3f} | {row['items']} |" for row in card["pass_at_k"]]
    name = (card["difficulty"] or {}).get("teacher", "search")
    return [
        f"{'Search teacher (no model)' if name == 'search' else name}, unbiased estimates:",
        "",
        "| k | pass@k | items |",
        "| --- | --- | --- |",
        *rows,
    ]


def _difficulty_lines(found: Mapping[str, Any] | None) -> list[str]:
    if not found:
        return []
    head = ["", f"| solved in .. of {found['attempts']} attempts | items |", "| --- | --- |"]
    return head + [f"| {times} | {count} |" for times, count in found["solved"].items()]


def _proposal_lines(found: Mapping[str, int] | None) -> list[str]:
    if not found:
        return []
    lost = f"{found['refused']} more lines named what is not there"
    return ["", f"A model proposed {found['made']} edges; {found['held']} held that nothing else proposes; {lost}."]


def _plan_lines(rows: Sequence[Mapping[str, Any]], items: int) -> list[str]:
    if not rows:
        return []
    head = ["", "## Equivalent plans (sampled; same final state, facts seen)", ""]
    head += [
        "| way | plans | rejected by coverage | items where it rejects one | rejected by the outcome check |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines = [
        f"| {row['way']} | {row['plans']} | {row['rejected_by_coverage']} | {row['items_rejected']} of {items} "
        f"| {row['rejected_by_outcome']} |"
        for row in rows
    ]
    unasked = sum(row["plans"] - row["rejected_by_outcome"] for row in rows if row["way"] == OTHER_CHANGES)
    return [*head, *lines, "", f"Unasked combinations of tools that pass the outcome check: {unasked}."]


def _model_lines(records: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for record in records:
        shown = ", ".join(f"pass@{row['k']} {row['pass_at_k']:.3f}" for row in record["pass_at_k"])
        speed = record.get("tokens_per_second")
        lines += [
            "",
            f"{record['model']} ({len(record['items'])} items drawn evenly over environments, {record['attempts']} "
            f"attempts each, temperature {record['temperature']}, at most {record['max_tokens']} tokens an answer, "
            f"{record['measured']}): {shown}; mean turn reward {record['mean_turn_reward']:.3f}"
            + (f"; {speed:.1f} tokens/s." if speed else "."),
        ]
    return lines


def _rewriting_lines(counts: Mapping[str, Any] | None) -> list[str]:
    if not counts:
        return ["", "Words: from templates."]
    share = 100 * counts["accepted"] / max(counts["turns"], 1)
    why = ", ".join(f"{reason} {count}" for reason, count in counts["answers"].items())
    told = f"{counts['accepted']} of {counts['turns']} turns ({share:.0f}%) rewritten by a model"
    return ["", f"Words: {told}, the others from templates. Answers: {why}."]


def _decontamination_lines(report: Mapping[str, Any] | None) -> list[str]:
    if report is None:
        return []
    compared = {of["name"]: of for of in report["benchmarks"]}
    fate = "taken out" if report["removed"] else "kept"
    shared = f"items that share {report['ngram']} words"
    return [
        "",
        "## Against benchmarks",
        "",
        f"| benchmark | its tools | its tasks | tools of the same name | of the same schema | {shared} |",
        "| --- | --- | --- | --- | --- | --- |",
        *(
            f"| {row['benchmark']} | {compared[row['benchmark']]['tools']} | {compared[row['benchmark']]['tasks']} "
            f"| {row['tools_of_the_same_name']} | {row['tools_of_the_same_schema']} "
            f"| {row['items_with_shared_words']} |"
            for row in report["counts"]
        ),
        "",
        f"{report['matching_items']} items with a golden call of the same schema or shared words: {fate}.",
    ]


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
