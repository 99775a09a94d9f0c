"""A turn reward that no model has to earn: 0 or 1 by chance. For tests of what follows from any reward."""

import numpy as np

_RNG = np.random.default_rng(0)


def coin(episode):
    """One number a turn."""
    return [float(value) for value in _RNG.integers(0, 2, len(episode.item.turns))]
