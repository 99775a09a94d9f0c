"""What of a tool list no turn changes: hashed word bags, and vocabulary matrices to measure overlap with."""

from __future__ import annotations

import re
import string
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from tvlab.learning.lab_tools import Leaf, ToolSet
from tvlab.learning.lab_words import KIND, SMALL_WORDS

_MARKS = str.maketrans(dict.fromkeys(string.punctuation + "“”‘’…–—", " "))
_LETTERS = re.compile(r"[a-z]*")


@lru_cache(maxsize=1 << 17)
def token_hash(token: str) -> int:
    """Return a 32-bit hash of a token, the same in every process."""
    return zlib.crc32(token.encode())


def words_only(text: str) -> str:
    """Return the casefolded words of a text, single spaces between and around them.

    >>> words_only("Order BK-100: 'late'")
    ' order bk 100 late '
    """
    return f" {' '.join(text.casefold().translate(_MARKS).split())} "


@dataclass(frozen=True)
class Bags:
    """Bags of hashed tokens: bag i holds ``hashes[starts[i]:starts[i + 1]]``."""

    hashes: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, bags: Iterable[Iterable[str]]) -> Bags:
        """Hash the tokens of each bag; a bag must not be empty."""
        return cls.of_hashes([[token_hash(token) for token in bag] for bag in bags])

    @classmethod
    def of_hashes(cls, lists: Sequence[Sequence[int]]) -> Bags:
        """Bags of tokens that are hashed already; a bag must not be empty."""
        lengths = [len(bag) for bag in lists]
        flat = [h for bag in lists for h in bag]
        return cls(np.array(flat, np.int64), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    @property
    def scales(self) -> np.ndarray:
        """One over the root of each bag's size."""
        return 1.0 / np.sqrt(np.diff(self.starts))


class ToolFeatures:
    """Everything about a tool set that no turn changes: word bags and vocabulary matrices."""

    def __init__(self, tools: ToolSet) -> None:
        self.tools = tools
        vocabulary = sorted({w for stems in (*tools.stems, *tools.texts) for w in stems}
                            | {w for leaf in tools.leaves for w in leaf.name | leaf.text})  # fmt: skip
        self.word_index = {word: at for at, word in enumerate(vocabulary)}
        rarity = np.array([tools.rarity.get(word, 0.0) for word in vocabulary], np.float32)
        self.tool_names = self.indicator(tools.stems) * rarity
        self.tool_names /= np.maximum(self.tool_names.sum(1, keepdims=True), 1e-9)
        self.tool_texts = self.indicator([[w for w in text if w not in SMALL_WORDS] for text in tools.texts])
        self.leaf_names = self.indicator([leaf.name for leaf in tools.leaves])
        self.leaf_names /= np.maximum(self.leaf_names.sum(1, keepdims=True), 1)
        self.leaf_texts = self.indicator([leaf.text - SMALL_WORDS for leaf in tools.leaves])
        self.required = np.array([at for at, leaf in enumerate(tools.leaves)
                                  if leaf.required and not leaf.slot and not leaf.choices], np.int64)  # fmt: skip
        self._like: dict[str, np.ndarray] = {}
        self.cues = frozenset(w for leaf in tools.leaves for w in leaf.name)
        self.tool_bags = Bags.of([("any", *(f"w:{w}" for w in stems), f"v:{stems[0] if stems else ''}")
                                  for stems in tools.stems])  # fmt: skip
        self.leaf_bags = Bags.of(_leaf_tokens(leaf, tools) for leaf in tools.leaves)

    def indicator(self, lists: Sequence[Iterable[str]]) -> np.ndarray:
        """Return (len(lists), vocabulary) 1 where the word stands in the list."""
        out = np.zeros((len(lists), len(self.word_index)), np.float32)
        for row, words in enumerate(lists):
            for word in words:
                at = self.word_index.get(word)
                if at is not None:
                    out[row, at] = 1.0
        return out

    def named_like(self, text: str) -> np.ndarray:
        """(leaves,) a word of the leaf's name and the first letters of the text begin alike."""
        start = _LETTERS.match(text).group()  # type: ignore[union-attr]
        found = self._like.get(start)
        if found is None:
            names = [leaf.name - {"id"} for leaf in self.tools.leaves]
            found = self._like[start] = np.array(
                [len(start) > 1 and any(len(w) > 1 and (w.startswith(start) or start.startswith(w)) for w in name)
                 for name in names], bool)  # fmt: skip
        return found

    @cached_property
    def leaf_tool(self) -> np.ndarray:
        return np.array([leaf.tool for leaf in self.tools.leaves], np.int64)

    @cached_property
    def leaf_class(self) -> np.ndarray:
        """0 text, 1 integer, 2 number, 3 list, 4 object, 5 anything, 6 choices."""
        classes = {"string": 0, "integer": 1, "number": 2, "list": 3, "object": 4, "any": 5}
        return np.array([6 if leaf.choices else classes.get(leaf.type, 5) for leaf in self.tools.leaves], np.int64)

    @cached_property
    def leaf_flags(self) -> dict[str, np.ndarray]:
        """Columns of leaf properties as arrays."""
        leaves = self.tools.leaves
        return {
            "key": np.array([leaf.key for leaf in leaves], bool),
            "repeated": np.array([any(isinstance(s, int) for s in leaf.path) for leaf in leaves], bool),
            "optional": np.array([not leaf.required or leaf.slot > 0 for leaf in leaves], bool),
            "slot": np.array([leaf.slot for leaf in leaves], np.int64),
            "format": np.array([KIND[leaf.format] if leaf.format else -1 for leaf in leaves], np.int64),
        }


def _leaf_tokens(leaf: Leaf, tools: ToolSet) -> list[str]:
    stems = tools.stems[leaf.tool]
    needed = leaf.required and not leaf.slot
    return [f"y:{leaf.type}", f"y:{leaf.type}:{needed}", *(f"n:{w}" for w in sorted(leaf.name)),
            *(f"a:{w}" for w in sorted(leaf.around)), f"v:{stems[0] if stems else ''}"]  # fmt: skip
