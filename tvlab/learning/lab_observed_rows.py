"""Argument rows that an observation adds: its values as candidates for the leaves they fit; and which of its records
a turn's words mention.

A value fits a leaf of its JSON type if the names of field and leaf share a word. An identifier fits the leaves that
want one of its entity, or of no entity that a tool is named after, and those whose description speaks of it. A
record is mentioned in a clause if one of its texts stands there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvlab.learning.lab_columns import ARGUMENT_COLUMN, ARGUMENT_COLUMNS, OBSERVED
from tvlab.learning.lab_features import TurnFeatures
from tvlab.learning.lab_observations import MAX_RECORDS, Field, Observation, ObservationReader
from tvlab.learning.lab_tool_features import Bags, ToolFeatures, token_hash, words_only
from tvlab.learning.lab_tools import KEY_WORDS, Leaf, ToolSet

MAX_VALUES = 40
RUNS = 3
_TYPES = {"string": ("string", "any"), "integer": ("integer", "number", "any"), "number": ("number", "any")}


@dataclass(frozen=True)
class FieldFit:
    """The leaves that a field's values fit, and how well its name does.

    Attributes:
        leaves: (n,) leaf numbers.
        dense: (n, columns) the columns that compare the names.
        strong: (n,) bool, the value would do for a leaf that needs an identifier.
    """

    leaves: np.ndarray
    dense: np.ndarray
    strong: np.ndarray


@dataclass(frozen=True)
class RowShape:
    """Rows of all observations that hold the same fields, the same number of times; each leaf's rows lie together,
    field by field.

    Attributes:
        leaf, field, record: (rows,) leaf, field number, record number.
        place: (rows,) which of the observation's values stands there.
        dense: (rows, columns).
        run_first, run_size: (leaves, RUNS) where each leaf's runs of rows begin and how long they are, 0 for none.
        filled: (leaves,) bool, which leaves it has rows for.
        strong: (rows,) bool, an identifier for a leaf that needs one.
        key_leaves: leaves that need an identifier for which it holds one.
        fed: (tools,) bool, it holds an identifier that the tool needs.
    """

    leaf: np.ndarray
    field: np.ndarray
    record: np.ndarray
    place: np.ndarray
    dense: np.ndarray
    run_first: np.ndarray
    run_size: np.ndarray
    filled: np.ndarray
    strong: np.ndarray
    key_leaves: np.ndarray
    fed: np.ndarray


@dataclass(frozen=True)
class ObservedRows:
    """The rows of one observation.

    Attributes:
        shape: what they share with other observations.
        columns: (rows, 5) of each row, see ``ScoreTable.columns``.
        openers: the first words of its records' texts: a turn that has none of them mentions no record.
    """

    shape: RowShape
    columns: np.ndarray
    openers: frozenset[str]


@dataclass(frozen=True)
class Mentions:
    """Which records of an observation a turn mentions.

    Attributes:
        masks: (records,) bits of the clauses that mention each record.
        lengths: (records,) length of the longest text mentioned, in characters.
        key_leaves, key_masks: leaves that need an identifier, with the clauses that mention a record that holds one.
        places: places (``ValueTable``) of these identifiers.
    """

    masks: np.ndarray
    lengths: np.ndarray
    key_leaves: np.ndarray
    key_masks: np.ndarray
    places: np.ndarray


class ObservedRowMaker:
    """Makes the rows of observations of one tool set; remembers how fields fit leaves."""

    def __init__(self, features: ToolFeatures, reader: ObservationReader) -> None:
        self.features, self.reader = features, reader
        self._fits: list[FieldFit] = []
        self._shapes: dict[tuple[int, ...], RowShape] = {}
        self._texts: list[tuple[str, ...]] = []
        self._hashes: list[list[int]] = []

    def fit(self, field: int) -> FieldFit:
        """Return which leaves the field's values fit."""
        while len(self._fits) <= field:
            self._fits.append(_fit(self.reader.fields[len(self._fits)], self.features.tools))
        return self._fits[field]

    def field_bags(self) -> Bags:
        """Return the word bags of the fields known so far."""
        for field in self.reader.fields[len(self._hashes) :]:
            self._hashes.append([token_hash(token) for token in _field_tokens(field)])
        return Bags.of_hashes(self._hashes)

    def rows(self, observation: Observation) -> ObservedRows:
        """Return the rows that the observation adds."""
        shape = self._shapes.get(observation.places)
        if shape is None:
            shape = self._shapes[observation.places] = self._shape(observation)
        columns = np.zeros((len(shape.place), 5), np.int64)
        if len(columns):
            places = self.features.tools.values.places
            columns[:, 0] = np.array(observation.values, np.int64)[shape.place]
            columns[:, 2], columns[:, 3] = OBSERVED, shape.record
            columns[:, 4] = np.array([places[value] for value in observation.values], np.int64)[shape.place]
        openers = frozenset(text.split(" ", 2)[1] for record in observation.records for text in self._plain(record))
        return ObservedRows(shape, columns, openers)

    def _shape(self, observation: Observation) -> RowShape:
        by_field: dict[int, list[int]] = {}
        for at, found in enumerate(observation.places):
            by_field.setdefault(found // MAX_RECORDS, []).append(at)
        run_first, run_size = np.zeros((2, len(self.features.tools.leaves), RUNS), np.int64)
        leaf: list[int] = []
        field: list[int] = []
        place: list[int] = []
        dense: list[np.ndarray] = []
        strong: list[bool] = []
        for number, places in by_field.items():
            fit, places = self.fit(number), places[:MAX_VALUES]
            for j, one in enumerate(fit.leaves.tolist()):
                run = int(np.count_nonzero(run_size[one]))
                if run == RUNS:
                    continue
                run_first[one, run], run_size[one, run] = len(leaf), len(places)
                leaf += [one] * len(places)
                field += [number] * len(places)
                place += places
                dense += [fit.dense[j]] * len(places)
                strong += [bool(fit.strong[j])] * len(places)
        record = np.array(observation.places, np.int64)[np.array(place, np.int64)] % MAX_RECORDS
        table = np.array(dense, np.float32).reshape(-1, len(ARGUMENT_COLUMNS))
        table[:, ARGUMENT_COLUMN["one record"]] = len(observation.records) == 1
        table[:, ARGUMENT_COLUMN["first record"]] = record == 0
        leaves, good = np.array(leaf, np.int64), np.array(strong, bool)
        keys = np.unique(leaves[good])
        fields, places_ = np.array(field, np.int64), np.array(place, np.int64)
        return RowShape(leaves, fields, record, places_, table, run_first, run_size, run_size[:, 0] > 0, good, keys,
                        self._fed(keys))  # fmt: skip

    def _fed(self, keys: np.ndarray) -> np.ndarray:
        have = set(keys.tolist())
        return np.array([not have.isdisjoint(needed) for needed in self.features.tools.keys_needed], bool)

    def mentions(self, observation: Observation, rows: ObservedRows, turn: TurnFeatures) -> Mentions | None:
        """Return which records of the observation the turn mentions; None if it mentions none."""
        if rows.openers.isdisjoint(turn.vocabulary):
            return None
        known, found = turn.mentioned, []
        for record in observation.records:
            one = known.get(record)
            if one is None:
                one = known[record] = self._mention(record, turn)
            found.append(one)
        if not any(mask for mask, _ in found):
            return None
        masks, lengths = np.array([mask for mask, _ in found], np.int64), np.array([n for _, n in found], np.float32)
        bits: dict[int, int] = {}
        hit = rows.shape.strong & (masks[rows.shape.record] != 0)
        for leaf, mask in zip(rows.shape.leaf[hit].tolist(), masks[rows.shape.record[hit]].tolist(), strict=True):
            bits[leaf] = bits.get(leaf, 0) | mask
        return Mentions(masks, lengths, np.array(list(bits), np.int64), np.array(list(bits.values()), np.int64),
                        np.unique(rows.columns[hit, 4]))  # fmt: skip

    def _mention(self, record: int, turn: TurnFeatures) -> tuple[int, int]:
        mask = longest = 0
        for text in self._plain(record):
            if text in turn.text:
                bits = sum(1 << clause for clause, words in enumerate(turn.clause_texts) if text in words)
                mask, longest = mask | bits, max(longest, len(text) - 2 if bits else 0)
        return mask, longest

    def _plain(self, record: int) -> tuple[str, ...]:
        """The words of those of a record's texts that have three characters or more."""
        while len(self._texts) <= record:
            plain = (words_only(text) for text in self.reader.records[len(self._texts)])
            self._texts.append(tuple(text for text in plain if len(text) >= 5))
        return self._texts[record]

    def forget(self) -> None:
        """Forget the texts of records."""
        self._texts.clear()


def _fit(field: Field, tools: ToolSet) -> FieldFit:
    chosen, dense, strong = [], [], []
    for at, leaf in enumerate(tools.leaves):
        if leaf.type not in _TYPES.get(field.type, ()) or not _fits(field, leaf, tools.nouns):
            continue
        shared, union = field.name & leaf.name, field.name | leaf.name
        other = field.key and leaf.key and not _entity(field.name) & _entity(leaf.name)
        row = np.zeros(len(ARGUMENT_COLUMNS), np.float32)
        for name, value in {
            "same name": field.name == leaf.name, "name overlap": len(shared) / max(len(union), 1),
            "name in holder": bool(leaf.name & field.around - {"id"}), "both keys": field.key and leaf.key,
            "other entity": other, "not a key": leaf.key and not field.key,
            "key for a plain leaf": field.key and not leaf.key, "format missed": leaf.format is not None and not shared,
        }.items():  # fmt: skip
            row[ARGUMENT_COLUMN[name]] = value
        chosen.append(at)
        dense.append(row)
        strong.append(leaf.key and field.key and not other)
    width = len(ARGUMENT_COLUMNS)
    return FieldFit(np.array(chosen, np.int64), np.array(dense, np.float32).reshape(-1, width), np.array(strong, bool))


def _fits(field: Field, leaf: Leaf, nouns: frozenset[str]) -> bool:
    if not field.key:
        return bool(field.name & leaf.name)
    mine, wanted = _entity(field.name), _entity(leaf.name)
    if not leaf.key:
        return bool(field.name & leaf.name or leaf.text & mine)
    # assignee_id names a part that something plays, not a thing that some tool is about: any identifier may do
    return bool(mine & wanted) or not mine or not wanted & nouns


def _entity(name: frozenset[str]) -> frozenset[str]:
    return name - KEY_WORDS


def _field_tokens(field: Field) -> list[str]:
    return [f"y:{field.type}", f"v:{field.verb}", *(f"n:{w}" for w in sorted(field.name)),
            *(f"a:{w}" for w in sorted(field.around))]  # fmt: skip
