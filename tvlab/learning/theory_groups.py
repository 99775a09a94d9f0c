"""What an estimator does on average over whole groups: exactly for small groups, by sampling beyond.

A group is K independent rollouts of one `TurnProcess`. There are 2^T reward vectors, so a group is, up to
order, one of C(2^T + K - 1, K) multisets; for each, the estimator runs once and the result is weighted with
its multinomial probability. The same functions take sampled groups, each weighted alike.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement, islice
from math import comb

import numpy as np
from scipy.special import gammaln

from tvlab.learning.advantages import Estimator, advantage, return_to_go, tara
from tvlab.learning.theory import TurnProcess

CHUNK = 20_000  # groups handed to an estimator at a time


@dataclass(frozen=True)
class GroupBatch:
    """G groups of K rollouts.

    Attributes:
        rewards: (G, K, T) 0/1 rewards.
        weight: (G,) probability of each group; over all batches the weights sum to 1.
    """

    rewards: np.ndarray
    weight: np.ndarray

    def advantages(self, estimator: Estimator, **settings: object) -> np.ndarray:
        """Run the estimator on all groups at once, (G, K, T)."""
        groups, rollouts, turns = self.rewards.shape
        labels = np.repeat(np.arange(groups), rollouts)
        flat = estimator(self.rewards.reshape(-1, turns), None, labels, **settings)
        return flat.reshape(self.rewards.shape)


def estimators_with(names: Iterable[str], lam: float, gamma: float) -> dict[str, Estimator]:
    """Return the estimators of those names; those with a lambda get lambda and gamma, as in the lab trainer.

    >>> estimators_with(["tara", "grpo"], lam=0.0, gamma=1.0)["tara"].keywords
    {'lam': 0.0, 'gamma': 1.0}
    """
    found = {name: advantage(name) for name in names}
    return {
        name: partial(one, lam=lam, gamma=gamma) if "lam" in inspect.signature(one).parameters else one
        for name, one in found.items()
    }


def group_count(turns: int, rollouts: int) -> int:
    """Number of multisets of `rollouts` reward vectors of `turns` turns.

    >>> group_count(turns=2, rollouts=2), group_count(turns=4, rollouts=8)
    (10, 490314)
    """
    return comb(2**turns + rollouts - 1, rollouts)


def exact_groups(process: TurnProcess, rollouts: int) -> Iterator[GroupBatch]:
    """All groups of that many rollouts, in batches, with their probabilities."""
    rewards, probability = process.outcomes()
    possible = np.flatnonzero(probability > 0)
    members = combinations_with_replacement(range(len(possible)), rollouts)
    log_probability = np.log(probability[possible])
    while chunk := list(islice(members, CHUNK)):
        index = np.array(chunk)
        yield GroupBatch(rewards[possible[index]], multinomial(index, log_probability))


def sampled_groups(
    process: TurnProcess, rollouts: int, groups: int, rng: np.random.Generator
) -> Iterator[GroupBatch]:
    """Groups drawn at random, in batches, weighted 1 / groups each."""
    for start in range(0, groups, CHUNK):
        size = min(CHUNK, groups - start)
        rewards = process.sample(size * rollouts, rng).reshape(size, rollouts, process.turns)
        yield GroupBatch(rewards, np.full(size, 1 / groups))


def expectation(batches: Iterator[GroupBatch], statistic: Callable[[GroupBatch], np.ndarray]) -> np.ndarray:
    """Expected value over groups of a statistic (G, ...) of each group."""
    total: np.ndarray | float = 0.0
    for batch in batches:
        total = total + np.tensordot(batch.weight, statistic(batch), axes=1)
    return np.asarray(total)


def pushed_down(batches: Iterator[GroupBatch], estimators: dict[str, Estimator]) -> dict[str, float]:
    """Share of correct turns (r = 1) whose advantage is negative, by estimator.

    Each turn of each rollout counts once; a correct turn with advantage 0 (no variance) is not pushed down.
    """

    def counts(batch: GroupBatch) -> np.ndarray:
        right = batch.rewards == 1
        down = [
            ((batch.advantages(estimator) < -1e-9) & right).sum((1, 2)) for estimator in estimators.values()
        ]
        return np.stack([right.sum((1, 2)), *down], axis=1)

    right, *down = expectation(batches, counts)
    return {name: float(count / right) for name, count in zip(estimators, down, strict=True)}


def zscored_variances(
    batches: Iterator[GroupBatch], lam: float = 0.5, gamma: float = 0.5
) -> tuple[np.ndarray, np.ndarray]:
    """Variance per turn (T,) of TARA's advantage and of z-scored return-to-go, over groups and rollouts.

    Both have mean 0 in every group, so this is the mean over groups of the variance within the group. With
    one gamma, eps -> 0 and 0/1 rewards the two stand in a fixed order within each group:

    * r_t varies: TARA's is 1 + lambda^2 + 2 lambda c (1 if V does not vary), with c the correlation of r and
      V in the group. c >= 0: V = r S makes sum(r V) = sum(V), so the covariance is mean(V) (1 - mean(r)).
      A z-score's variance is at most 1. So TARA's is the larger, for every lambda > 0 with a V that varies.
    * r_t = 1 in all rollouts: V = S, and TARA's is lambda^2 times return-to-go's.
    * r_t = 0 in all rollouts: V = 0, and TARA's is 0.

    A.2 in this reading is therefore false where a turn carries a local signal, and true where it carries
    none; on average it turns on how often groups agree.
    """

    def squares(batch: GroupBatch) -> np.ndarray:
        ours = batch.advantages(tara, lam=lam, gamma=gamma)
        theirs = batch.advantages(return_to_go, gamma=gamma)
        return np.stack([(ours**2).mean(1), (theirs**2).mean(1)], axis=1)

    ours, theirs = expectation(batches, squares)
    return ours, theirs


def multinomial(index: np.ndarray, log_probability: np.ndarray) -> np.ndarray:
    """Probability of each multiset, given as sorted member indices (G, K)."""
    rollouts = index.shape[1]
    counts = np.zeros((len(index), len(log_probability)))
    np.add.at(counts, (np.arange(len(index))[:, None], index), 1)
    log = gammaln(rollouts + 1) - gammaln(counts + 1).sum(1) + log_probability[index].sum(1)
    return np.exp(log)


def zscored_order(batches: Iterator[GroupBatch], lam: float, gamma: float) -> dict[str, int]:
    """Count (group, turn) pairs that obey and that break the order stated in `zscored_variances`."""
    counts = {"varies": 0, "agrees": 0, "broken": 0}
    for batch in batches:
        ours = batch.advantages(tara, lam=lam, gamma=gamma, eps=1e-12).var(1)
        theirs = batch.advantages(return_to_go, gamma=gamma, eps=1e-12).var(1)
        varies = batch.rewards.std(1) > 0
        limit = np.where(batch.rewards.min(1) == 1, lam**2 * theirs, 0.0)
        right = np.where(varies, ours >= theirs - 1e-6, np.abs(ours - limit) < 1e-6)
        counts["varies"] += int(varies.sum())
        counts["agrees"] += int((~varies).sum())
        counts["broken"] += int((~right).sum())
    return counts
