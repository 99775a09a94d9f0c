"""Which environments a run trains on, validates on and is tested on.

The validation environments are the same for all runs and are never tested: learning rates are chosen on them. The
others are split into test folds; a run with seed s holds fold s mod FOLDS out and trains on the rest, so that every
environment but the validation ones is held out by a third of the seeds.

Not done: every seed with every fold. That would cost three times the runs; an arm's cells (environment, seed) are
therefore incomplete, alike for all arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tvlab.foundation.canonical import content_hash
from tvlab.foundation.errors import UserError

FOLDS = 3
VALIDATION_SHARE = 6


@dataclass(frozen=True)
class Split:
    """Names of the environments to train on, to validate on and to test on."""

    training: tuple[str, ...]
    validation: tuple[str, ...]
    test: tuple[str, ...]


def split(names: Sequence[str], seed: int) -> Split:
    """Return the split of a seed.

    Args:
        names: of environments that have items, in any order.
        seed: the run's.

    Raises:
        UserError: fewer than four environments.

    >>> one = split(["a", "b", "c", "d", "e", "f"], 0)
    >>> len(one.training), len(one.validation), len(one.test), one == split(["f", "e", "d", "c", "b", "a"], 3)
    (3, 1, 2, True)
    """
    ordered = sorted(names, key=lambda name: content_hash(["lab split", name]))
    if len(ordered) < FOLDS + 1:
        raise UserError(f"{len(ordered)} environments with items, {FOLDS + 1} needed: build more of them")
    held = max(1, len(ordered) // VALIDATION_SHARE)
    rest = ordered[held:]
    test = rest[seed % FOLDS :: FOLDS]
    training = [name for name in rest if name not in test]
    return Split(tuple(sorted(training)), tuple(sorted(ordered[:held])), tuple(sorted(test)))
