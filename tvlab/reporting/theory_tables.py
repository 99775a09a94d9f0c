"""The tables of notebook 05: variances, gradient quality, correct turns pushed down, shares in the loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from tvlab.foundation.errors import UserError
from tvlab.foundation.seeds import generator
from tvlab.learning.advantages import REQUIRES, tara
from tvlab.learning.loss_aggregation import Aggregation, turn_shares
from tvlab.learning.theory import READINGS, TurnProcess, VariancePair, boundary, future_moments, variances
from tvlab.learning.theory_groups import (
    estimators_with,
    exact_groups,
    group_count,
    pushed_down,
    sampled_groups,
    zscored_variances,
)
from tvlab.learning.theory_task import SolvableTask, sampled_quality


@dataclass(frozen=True)
class Scale:
    """How finely and with how many samples a profile computes.

    Attributes:
        points: values of the success probability and of the damage in a map.
        groups: sampled groups where they are not listed.
        listed: most groups that are listed instead of sampled.
        group_sizes: values of K.
        items: items of each environment that scripted policies play.
    """

    points: int
    groups: int
    listed: int
    group_sizes: tuple[int, ...]
    items: int


SCALES = {
    "smoke": Scale(points=9, groups=2_000, listed=7_000, group_sizes=(2, 4, 8), items=4),
    "lab": Scale(points=25, groups=20_000, listed=7_000, group_sizes=(2, 4, 8, 16), items=10),
    "full": Scale(points=49, groups=200_000, listed=500_000, group_sizes=(2, 4, 8, 16, 32), items=40),
}


def scale_of(profile: str) -> Scale:
    """The scale of a profile; those beyond the laptop use that of `full`."""
    if profile not in SCALES:
        raise UserError(
            f"notebook 05 has no scale for profile {profile!r}: choose one of {', '.join(SCALES)}"
        )
    return SCALES[profile]


def check_range(lam: float, gamma: float, turns: int, rollouts: int) -> None:
    """Say which parameter of notebook 05 lies outside what its formulas and tables are about.

    Raises:
        UserError: lambda or gamma is negative, or there are fewer than two turns or three rollouts.
    """
    for name, value, least in (("lam", lam, 0), ("gamma", gamma, 0), ("turns", turns, 2), ("rollouts", rollouts, 3)):
        if value < least:
            raise UserError(f"{name} = {value} is too small: notebook 05 takes {name} from {least} on")


def distractors(turns: int, rollouts: int, lam: float, gamma: float) -> dict[str, float]:
    """Check A.4 on every group of 0/1 rewards: how many wrong turns there are and their largest advantage."""
    process = TurnProcess((0.5,) * turns)
    wrong, largest = 0, -np.inf
    for batch in exact_groups(process, rollouts):
        advantages = batch.advantages(tara, lam=lam, gamma=gamma)[batch.rewards == 0]
        wrong, largest = wrong + advantages.size, max(largest, float(advantages.max(initial=-np.inf)))
    return {"groups": group_count(turns, rollouts), "wrong turns": wrong, "largest advantage": largest}


def side_by_side(pair: VariancePair) -> pd.DataFrame:
    """Return both variances, one row a turn and one for the sum over turns, and which is smaller."""
    turns = [f"turn {t + 1}" for t in range(len(pair.ours))]
    frame = pd.DataFrame(
        {"TARA, raw": [*pair.ours, pair.ours_summed], "r + S": [*pair.theirs, pair.theirs_summed]},
        index=[*turns, "sum over turns"],
    )
    gap = (frame["TARA, raw"] - frame["r + S"]).to_numpy()
    frame["smaller"] = np.where(np.abs(gap) < 1e-9, "equal", np.where(gap < 0, "TARA, raw", "r + S"))
    return frame.round(3)


def variance_map(
    points: int, turns: int, lam: float, gamma: float, readings: Sequence[str] = tuple(READINGS)
) -> pd.DataFrame:
    """Variances of both sides of each reading over success probability and damage, by enumeration.

    Returns:
        One row a reading, p and damage: ours, theirs (at turn 1), ours_summed, theirs_summed (of the sum over
        turns), smaller (ours is below theirs at turn 1), proven (the sufficient condition holds).
    """
    rows = []
    for p, damage in product(np.linspace(0.02, 0.98, points), np.linspace(0, 1, points)):
        process = TurnProcess((float(p),) * turns, float(damage))
        proven = future_moments(process, gamma).condition_holds(lam)
        for name in readings:
            pair = variances(process, READINGS[name], lam, gamma)
            rows.append(
                {
                    "reading": name,
                    "p": p,
                    "damage": damage,
                    "ours": pair.ours[0],
                    "theirs": pair.theirs[0],
                    "ours_summed": pair.ours_summed,
                    "theirs_summed": pair.theirs_summed,
                    "smaller": bool(pair.ours[0] < pair.theirs[0] * (1 - 1e-9)),
                    "proven": proven and name == "same discount",
                }
            )
    return pd.DataFrame(rows)


def boundary_map(points: int, turns: int) -> pd.DataFrame:
    """The success probability beyond which A.2 is false, for independent turns, over lambda and gamma."""
    grid = product(np.linspace(0.05, 1, points), np.linspace(0, 1, points))
    return pd.DataFrame(
        [{"lam": lam, "gamma": gamma, "p": boundary(lam, gamma, turns - 1)} for lam, gamma in grid]
    )


def zscored_table(
    scale: Scale, turns: int, lam: float, gamma: float, success: Sequence[float], seed: int
) -> pd.DataFrame:
    """Variance at turn 1 of TARA's advantage and of z-scored return-to-go, by group size and damage."""
    rows = []
    for p, damage, rollouts in product(success, (0.0, 1.0), scale.group_sizes):
        process = TurnProcess((p,) * turns, damage)
        listed = group_count(turns, rollouts) <= scale.listed
        rng = generator(seed, "zscored", p, damage, rollouts)
        groups = (
            exact_groups(process, rollouts)
            if listed
            else sampled_groups(process, rollouts, scale.groups, rng)
        )
        ours, theirs = zscored_variances(groups, lam, gamma)
        rows.append(
            {
                "p": p,
                "damage": damage,
                "rollouts": rollouts,
                "tara": ours[0],
                "return_to_go": theirs[0],
                "how": "listed" if listed else "sampled",
            }
        )
    return pd.DataFrame(rows)


def quality_table(
    scale: Scale,
    tries: tuple[float, ...],
    damages: Sequence[float],
    estimators: Sequence[str],
    seed: int,
    lam: float = 0.5,
    gamma: float = 0.5,
) -> pd.DataFrame:
    """Bias, variance and error of each estimator's gradient on the solvable task, by damage and K."""
    rows, known = [], estimators_with(estimators, lam, gamma)
    for damage, rollouts, name in product(damages, scale.group_sizes, estimators):
        task = SolvableTask(tries, damage)
        rng = generator(seed, "gradient", damage, rollouts)  # one stream: estimators see the same groups
        found = sampled_quality(task, known[name], rollouts, scale.groups, rng, name)
        rows.append({"estimator": name, "damage": damage, "rollouts": rollouts, **found._asdict()})
    return pd.DataFrame(rows)


def pushed_down_table(
    scale: Scale,
    success: Sequence[float],
    turns: int,
    rollouts: int,
    estimators: Sequence[str],
    seed: int,
    lam: float = 0.5,
    gamma: float = 0.5,
) -> pd.DataFrame:
    """Share of correct turns with a negative advantage, by estimator and success probability."""
    chosen = estimators_with([name for name in estimators if name not in REQUIRES], lam, gamma)
    rows = []
    for p in success:
        process = TurnProcess((p,) * turns)
        listed = group_count(turns, rollouts) <= scale.listed
        rng = generator(seed, "pushed down", p)
        groups = (
            exact_groups(process, rollouts)
            if listed
            else sampled_groups(process, rollouts, scale.groups, rng)
        )
        for name, share in pushed_down(groups, chosen).items():
            how = "listed" if listed else "sampled"
            rows.append({"estimator": name, "p": p, "share": share, "how": how})
    return pd.DataFrame(rows)


def share_table(lengths: Sequence[Sequence[int]], modes: Sequence[Aggregation]) -> pd.DataFrame:
    """Share of each turn of each rollout in the loss, by aggregation mode; `lengths` are tokens a turn."""
    tokens = np.array(lengths, dtype=float)
    places = list(np.ndindex(tokens.shape))
    return pd.DataFrame(
        [
            {
                "mode": mode,
                "rollout": i + 1,
                "turn": t + 1,
                "tokens": int(tokens[i, t]),
                "share": shares[i, t],
            }
            for mode in modes
            for shares in [turn_shares(tokens, mode)]
            for i, t in places
        ]
    )
