"""Keys and values of token sequences that a model has read, so that a conversation that goes on is not read again.

What one entry holds serves every sequence that begins as it does: the next message of a rollout, the other rollouts of
an item, other items with the same tools. The oldest entries go when there is no room; after new weights all of them do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

Layers = list[tuple[torch.Tensor, torch.Tensor]]
"""Keys and values (1, heads, tokens, width), a pair a layer."""


class PrefixStore:
    """Sequences and what the model made of them.

    Args:
        most: bytes that the tensors may take.
    """

    def __init__(self, most: int = 1 << 30) -> None:
        self.most = most
        self._entries: list[tuple[np.ndarray, Layers]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def longest(self, ids: Sequence[int]) -> tuple[int, Layers]:
        """The longest beginning of `ids`, short of all of them, that was read: how many ids, and their tensors."""
        wanted = np.asarray(ids, dtype=np.int64)[:-1]
        lengths = [_common(known, wanted) for known, _ in self._entries]
        if not any(lengths):
            return 0, []
        at = int(np.argmax(lengths))
        entry = self._entries.pop(at)
        self._entries.append(entry)  # the one that was needed last goes last
        length = lengths[at]
        return length, [(keys[:, :, :length], values[:, :, :length]) for keys, values in entry[1]]

    def put(self, ids: Sequence[int], layers: Layers) -> None:
        """Keep what was made of `ids`; entries that are beginnings of it are no longer needed."""
        new = np.asarray(ids, dtype=np.int64)
        self._entries = [one for one in self._entries if _common(one[0], new) < len(one[0])]
        self._entries.append((new, layers))
        while len(self._entries) > 1 and sum(_bytes(one) for _, one in self._entries) > self.most:
            del self._entries[0]

    def clear(self) -> None:
        """Forget everything: the model is another one."""
        self._entries.clear()


def _common(known: np.ndarray, wanted: np.ndarray) -> int:
    """Ids that both begin with."""
    least = min(len(known), len(wanted))
    differ = known[:least] != wanted[:least]
    return int(differ.argmax()) if differ.any() else least


def _bytes(layers: Layers) -> int:
    return sum(tensor.nbytes for pair in layers for tensor in pair)
