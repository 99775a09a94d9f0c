"""Features of a turn's words against a tool list, the part that does not change while the turn goes on.

Two kinds of rows. A *tool row* is one (clause, tool) pair; the last row of a turn is STOP. An *argument row* is one
(leaf, candidate) pair; a candidate is a span of the words, a choice of an enum, or leaving the parameter out. Rows
carry dense features (``lab_columns.py``) and stand for a pair of word bags, whose hashed word pairs are learned.

Features are made of words, types and positions. No environment, tool or item has an index in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tvlab.foundation.words import stem
from tvlab.learning.lab_arguments import ArgumentRows
from tvlab.learning.lab_columns import TOOL_COLUMN, TOOL_COLUMNS
from tvlab.learning.lab_tool_features import Bags, ToolFeatures, words_only
from tvlab.learning.lab_words import KIND, SMALL_WORDS, TurnWords, read_words

_BACK = frozenset(map(stem, "that this same it its these those".split()))
_NEW = frozenset(map(stem, "new just made created added placed".split()))


@dataclass(frozen=True)
class TurnFeatures:
    """The rows of one turn.

    Attributes:
        words: the turn's words, cut up.
        clause_texts: the words of each clause as ``words_only`` gives them.
        clause_bags, span_bags: hashed words of each clause, and around each span; two bags follow the spans', for
            leaving out and for choices.
        tool_dense: (clauses * tools + 1, columns), the last row is STOP.
        leaf, span, value, mask, kind: (rows,) of the argument rows, sorted by leaf: leaf, index of its span bag, value
            number, bits of the clauses where it stands, SPAN | CHOICE | OMIT.
        columns: (rows, 5) of the argument rows, see ``ScoreTable.columns``.
        dense: (rows, columns) of the argument rows.
        leaf_start: (leaves + 1,) first argument row of each leaf.
        key_mask: (leaves,) bits of the clauses that hold an identifier for a leaf that needs one.
        text: the clauses' words in one text.
        vocabulary: the clauses' words.
        empty_leaves: required leaves that have no row.
        back, new: (clauses,) bool, the clause points back (that, it), speaks of something new.
        mentioned: of the reader's records, as far as that was asked: bits of the clauses that mention it, and the
            length of the longest mention.
    """

    words: TurnWords
    clause_texts: tuple[str, ...]
    clause_bags: Bags
    span_bags: Bags
    tool_dense: np.ndarray
    leaf: np.ndarray
    span: np.ndarray
    value: np.ndarray
    mask: np.ndarray
    kind: np.ndarray
    columns: np.ndarray
    dense: np.ndarray
    leaf_start: np.ndarray
    key_mask: np.ndarray
    text: str
    vocabulary: frozenset[str]
    empty_leaves: np.ndarray
    back: np.ndarray
    new: np.ndarray
    mentioned: dict[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def clauses(self) -> int:
        return len(self.clause_texts)


def turn_features(text: str, features: ToolFeatures) -> TurnFeatures:
    """Return the rows of a turn.

    Args:
        text: the user's words.
        features: those of the tool list.
    """
    words = read_words(text, features.cues)
    parts: list[list[str]] = [[] for _ in words.clauses]
    for token, clause in zip(words.tokens, words.clause_of, strict=True):
        parts[clause].append(token.text)
    clause_texts = tuple(words_only(" ".join(part)) for part in parts)
    rows = ArgumentRows(words, clause_texts, features)
    places = np.array(features.tools.values.places, np.int64)
    leaf_start = np.searchsorted(rows.leaf, np.arange(len(features.tools.leaves) + 1))
    return TurnFeatures(
        words, clause_texts,
        Bags.of([("any", *(f"w:{w}" for w in stems), f"1:{_first(stems)}") for stems in words.clauses]),
        Bags.of([*(_span_tokens(words, at) for at in range(len(words.spans))), ["omit"], ["choice"]]),
        _tool_dense(words, features), rows.leaf, rows.span, rows.value, rows.mask, rows.kind,
        np.stack([rows.value, rows.mask, rows.kind, np.zeros_like(rows.kind), places[rows.value]], 1), rows.dense,
        leaf_start, rows.key_mask, " ".join(clause_texts), frozenset(" ".join(clause_texts).split()),
        features.required[leaf_start[features.required] == leaf_start[features.required + 1]],
        _cued(words, _BACK), _cued(words, _NEW),
    )  # fmt: skip


def _cued(words: TurnWords, cues: frozenset[str]) -> np.ndarray:
    return np.array([not cues.isdisjoint(stems) for stems in words.clauses], bool)


def _first(stems: Sequence[str]) -> str:
    return next((w for w in stems if w not in SMALL_WORDS and w not in ("th", "then", "also", "pleas")), "")


def _span_tokens(words: TurnWords, at: int) -> list[str]:
    span = words.spans[at]
    left, right = words.left(span.start, 3), words.right(span.end, 1)
    before = words.tokens[span.start - 1].text.lower() if span.start else ""
    return [f"k:{span.kind}", f"1:{left[0] if left else ''}", *(f"l:{w}" for w in left), *(f"r:{w}" for w in right),
            f"b:{before}", f"c:{_first(words.clauses[span.clause])}"]  # fmt: skip


def _tool_dense(words: TurnWords, features: ToolFeatures) -> np.ndarray:
    tools = features.tools
    clauses = features.indicator(words.clauses)
    overlap = clauses @ features.tool_names.T
    text = (clauses @ features.tool_texts.T) / (np.sqrt(features.tool_texts.sum(1)) + 1.0)
    named = np.zeros_like(overlap)
    hit = np.minimum(clauses @ features.leaf_names.T, 1.0)
    for at, leaves in enumerate(tools.leaf_range):
        if len(leaves):
            named[:, at] = hit[:, leaves.start : leaves.stop].mean(1)
    spans = np.bincount([s.clause for s in words.spans if s.kind != KIND["phrase"]], minlength=len(words.clauses))
    required = np.array([sum(tools.leaves[j].required for j in leaves) for leaves in tools.leaf_range])
    keys = np.array([len(leaves) for leaves in tools.keys_needed])
    first = np.array([[float(bool(s) and _first(w) == s[0]) for s in tools.stems] for w in words.clauses])
    extra = spans[:, None] - required[None, :]
    columns = (
        overlap, overlap * (overlap >= overlap.max(1, keepdims=True)), overlap * (overlap >= overlap.max(0)), text,
        named, np.broadcast_to(required / 4, overlap.shape), np.broadcast_to(keys / 2, overlap.shape),
        np.clip(extra, 0, 4) / 4, np.clip(-extra, 0, 4) / 4, first, np.zeros_like(overlap),
    )  # fmt: skip
    dense = np.stack(columns, -1).reshape(-1, len(TOOL_COLUMNS)).astype(np.float32)
    stop = np.zeros((1, len(TOOL_COLUMNS)), np.float32)
    stop[0, TOOL_COLUMN["stop"]] = 1.0
    return np.concatenate([dense, stop])
