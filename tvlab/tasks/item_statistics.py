"""Tidy rows about items: what the notebook on the dataset tables and draws."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tvlab.tasks.item import Item
from tvlab.tasks.paths import is_reference, leaves


def item_rows(items: Iterable[Item]) -> list[dict[str, Any]]:
    """Return one row an item: turns, calls, depth, references and how far back they reach."""
    return [_item_row(item) for item in items]


def turn_rows(items: Iterable[Item]) -> list[dict[str, Any]]:
    """Return one row a user turn."""
    return [
        {
            "environment": item.environment,
            "item": item.provenance["number"],
            "turn": t,
            "kind": turn.kind,
            "calls": len(turn.calls),
            "writes": sum(call.writes for call in turn.calls),
            "facts": len(turn.facts),
            "lookups": len(turn.lookups),
            "stated": len(turn.stated),
            "words": len(turn.user.split()),
        }
        for item in items
        for t, turn in enumerate(item.turns)
    ]


def call_rows(items: Iterable[Item]) -> list[dict[str, Any]]:
    """Return one row a golden call: where its arguments come from."""
    return [
        {
            "environment": item.environment,
            "item": item.provenance["number"],
            "turn": t,
            "call": j,
            "tool": call.tool,
            "writes": call.writes,
            "arguments": sum(1 for at, _ in leaves(call.arguments) if at),
            "references": len(_references(call.arguments)),
            "references_to_earlier_turns": sum(turn < t for turn in _references(call.arguments)),
            "stated": sum(k == j for k, _ in item.turns[t].stated),
        }
        for item in items
        for (t, j), call in item.golden()
    ]


def _item_row(item: Item) -> dict[str, Any]:
    back = [t - turn for (t, _), call in item.golden() for turn in _references(call.arguments)]
    calls = [len(turn.calls) for turn in item.turns]
    return {
        "environment": item.environment,
        "item": item.provenance["number"],
        "turns": len(item.turns),
        "calls": sum(calls),
        "calls_per_turn": sum(calls) / len(calls),
        "depth": item.provenance["depth"],
        "components": item.provenance.get("components", 1),
        "chain_turns": sum(turn.kind == "chain" for turn in item.turns) / len(item.turns),
        "references": len(back),
        "longest_reference": max(back, default=0),
        "facts": sum(len(turn.facts) for turn in item.turns),
        "n": item.provenance["n"],
        "draws": item.provenance["draws"],
    }


def _references(arguments: dict[str, Any]) -> list[int]:
    """Return the turns that a call's references point to."""
    return [value["$ref"][0] for _, value in leaves(arguments) if is_reference(value)]
