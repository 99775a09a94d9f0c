"""The sums of a build: kept and dropped tools, kinds, sizes, coherence, concentration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: servers whose share of the kept tools is the concentration
_TOP = 20


def environment_rows(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return one entry an environment, joined ones once, in the order of the servers."""
    found: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        for one in (*row.get("built", ()), *row.get("joined", ())):
            found.setdefault(one["environment"], one)
    return list(found.values())


def environment_names(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names of all environments of a build, joined ones too, sorted."""
    return sorted(one["environment"] for one in environment_rows(rows))


def totals(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Sum up a build.

    Returns:
        ``servers``; ``environments``, of which ``joined`` hold tools of several servers; ``kinds``; ``tools``,
        ``kept``, ``kept_by_kind`` (of the tools: stateful, facts, pure), ``mean_size``; ``coherence`` (share of
        kept tools that are connected to another tool of their environment by entity, key or fact);
        ``concentration`` (share of kept tools from the 20 servers with the most); ``drops`` by stage and reason.
    """
    reasons = Counter((drop["stage"], drop["reason"]) for row in rows for drop in row["drops"])
    built = environment_rows(rows)
    kept = sum(row["kept"] for row in rows)
    by_kind: Counter[str] = Counter()
    for one in built:
        by_kind.update(one["tool_kinds"])
    most = sorted((row["kept"] for row in rows), reverse=True)[:_TOP]
    return {
        "servers": len(rows),
        "environments": len(built),
        "joined": len({one["environment"] for row in rows for one in row.get("joined", ())}),
        "kinds": dict(Counter(one["kind"] for one in built)),
        "tools": sum(row["tools"] for row in rows),
        "kept": kept,
        "kept_by_kind": dict(by_kind),
        "mean_size": round(kept / len(built), 2) if built else None,
        "coherence": round(sum(one["connected"] for one in built) / kept, 3) if kept else None,
        "concentration": round(sum(most) / kept, 3) if kept else None,
        "drops": [{"stage": s, "reason": r, "tools": n} for (s, r), n in reasons.most_common()],
    }
