"""Intervals and paired comparisons for tidy results; what was really sampled is what is resampled.

A score of an arm is a mean over environments and training seeds. Both are samples, and every seed meets every
environment: they are crossed. So the bootstrap draws environments with replacement and, independently, seeds
with replacement, and averages the cells that both pick (the pigeonhole bootstrap: Owen, Annals of Applied
Statistics 2007; never too narrow on average, somewhat too wide where one factor dominates). Items, attempts
and turns are averaged within their cell first; resampling them alone would give intervals far too narrow.

A comparison is paired: the difference of two arms is taken cell by cell, before resampling.

Not checked: that environments are exchangeable. With three seeds the percentile interval of the seed factor
is itself rough; a table says n beside the interval. A factor with one level is not resampled nor covered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

UNITS = ("environment", "seed")
LEAST_SEEDS = 9
Rows: TypeAlias = pd.DataFrame | Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Interval:
    """A mean with its percentile bootstrap interval; low and high are NaN if no unit has two levels.

    Attributes:
        estimate: mean over all cells.
        low, high: bounds at `level`.
        level: coverage aimed at, e.g. 0.95.
        units: what was resampled, e.g. "150 environments x 5 seeds"; goes beside the number.
        resamples: number of bootstrap draws.
    """

    estimate: float
    low: float
    high: float
    level: float
    units: str
    resamples: int

    def excludes(self, value: float = 0.0) -> bool:
        """Whether `value` lies outside the interval; False where there is no interval."""
        return bool(self.low > value or self.high < value)


@dataclass(frozen=True)
class Difference:
    """Paired difference first - second.

    Attributes:
        first, second: the arms.
        interval: of the mean difference.
        p_value: two-sided, by inverting the bootstrap percentile interval; NaN without an interval.
        effect_size: mean difference / standard deviation of the differences over the first unit
            (environments), seeds averaged: Cohen's d_z; NaN for one environment or no spread.
        wins: share of cells in which first is above second, ties counted half.
    """

    first: str
    second: str
    interval: Interval
    p_value: float
    effect_size: float
    wins: float


def cell_means(rows: Rows, value: str, units: Sequence[str] = UNITS) -> pd.DataFrame:
    """Average the rows of each cell: a table with the first unit down and the second across.

    Cells without rows are NaN. With one unit the table has one column.

    Raises:
        ValueError: missing columns, no rows, or NaN among the values (drop such rows first, saying why).
    """
    frame = pd.DataFrame(rows)
    missing = [name for name in (value, *units) if name not in frame]
    if missing:
        raise ValueError(f"rows lack the columns {missing}; they have {list(frame.columns)}")
    if frame.empty or frame[value].isna().any():
        raise ValueError(f"{value!r} is empty or holds NaN: drop rows that were not run, and report them")
    means = frame.groupby(list(units), observed=True)[value].mean()
    return means.unstack() if len(units) == 2 else means.to_frame()


def bootstrap_interval(
    rows: Rows,
    value: str,
    rng: np.random.Generator,
    *,
    units: Sequence[str] = UNITS,
    strata: str | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
) -> Interval:
    """Mean of `value` over all cells of `rows` with its crossed bootstrap interval.

    Args:
        rows: tidy rows of one arm (one row an attempt; a DataFrame or dictionaries).
        value: the column to average.
        rng: generator; the same generator state gives the same interval.
        units: one or two columns to resample, crossed with each other.
        strata: a column that is constant within a level of the first unit (a domain, a benchmark): levels
            are then drawn within their stratum, so that its size stays fixed.
        level: coverage.
        resamples: bootstrap draws.

    >>> rows = [{"environment": e, "seed": s, "score": float(e)} for e in "0123" for s in (0, 1)]
    >>> interval = bootstrap_interval(rows, "score", np.random.default_rng(0))
    >>> interval.estimate, interval.units
    (1.5, '4 environments x 2 seeds')
    """
    table = cell_means(rows, value, units)
    return _interval(table, _strata(rows, table, units, strata), rng, level, resamples)[0]


def paired_difference(
    rows: Rows,
    value: str,
    first: str,
    second: str,
    rng: np.random.Generator,
    *,
    arm: str = "arm",
    units: Sequence[str] = UNITS,
    strata: str | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
) -> Difference:
    """Difference first - second of two arms over the cells that both have; arguments as `bootstrap_interval`.

    Raises:
        ValueError: an arm is missing, or the arms share no cell.
    """
    frame = pd.DataFrame(rows)
    known = set(frame[arm])
    if not {first, second} <= known:
        raise ValueError(f"arms {first!r} and {second!r} are not both in {sorted(known)}")
    tables = [cell_means(frame[frame[arm] == name], value, units) for name in (first, second)]
    table = (tables[0] - tables[1]).dropna(how="all").dropna(how="all", axis=1)
    if table.empty:
        raise ValueError(f"arms {first!r} and {second!r} share no cell of {tuple(units)}")
    interval, draws = _interval(table, _strata(frame, table, units, strata), rng, level, resamples)
    return Difference(first, second, interval, _p_value(draws), _effect_size(table), _wins(table))


def compare_arms(
    rows: Rows,
    value: str,
    baseline: str,
    rng: np.random.Generator,
    *,
    arm: str = "arm",
    units: Sequence[str] = UNITS,
    level: float = 0.95,
    resamples: int = 10_000,
) -> pd.DataFrame:
    """Every other arm minus `baseline`, one row each in order of appearance, with Holm-adjusted p-values."""
    frame = pd.DataFrame(rows)
    others = [name for name in frame[arm].unique() if name != baseline]
    found = [
        paired_difference(
            frame, value, name, baseline, rng, arm=arm, units=units, level=level, resamples=resamples
        )
        for name in others
    ]
    adjusted = holm([difference.p_value for difference in found])
    return pd.DataFrame([_row(d, p) for d, p in zip(found, adjusted, strict=True)])


def seed_tests(
    rows: Rows,
    value: str,
    pairs: Sequence[tuple[str, str]],
    *,
    arm: str = "arm",
    unit: str = "seed",
    least: int = LEAST_SEEDS,
) -> pd.DataFrame:
    """Exact paired tests over training seeds: the mean of each seed under both arms, signs flipped at random.

    The seeds are the replications of training; below ``least`` of them no test is made, since even the smallest
    p-value (2 / 2^n) would not survive a correction. A p-value speaks of new seeds on these environments, an
    interval of ``paired_difference`` of new environments too.

    Args:
        rows: tidy rows of all arms.
        value: the column to average.
        pairs: (first, second) arms; Holm's correction runs over all pairs that are tested.
        arm, unit: columns of the arm and of the seed.
        least: seeds that a test needs.

    Returns:
        One row a pair: first, second, seeds, p, p_holm (NaN where not tested), effect_size (mean difference of the
        seeds' means over their standard deviation, d_z).
    """
    means = cell_means(pd.DataFrame(rows), value, (unit, arm))
    found = []
    for first, second in pairs:
        differences = (means[first] - means[second]).dropna().to_numpy()
        spread = differences.std(ddof=1) if len(differences) > 1 else 0.0
        found.append({
            "first": first,
            "second": second,
            "seeds": len(differences),
            "p": _sign_flip_p(differences) if len(differences) >= least else float("nan"),
            "effect_size": float(differences.mean() / spread) if spread > 0 else float("nan"),
        })  # fmt: skip
    table = pd.DataFrame(found)
    return table.assign(p_holm=holm(table["p"].tolist()))


def _sign_flip_p(differences: np.ndarray) -> float:
    from scipy.stats import permutation_test

    if not differences.any():
        return 1.0
    result = permutation_test(
        (differences,),
        lambda x, axis: x.mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=2 ** min(len(differences), 20),
        rng=np.random.default_rng(0),
    )
    return float(result.pvalue)


def holm(p_values: Sequence[float]) -> np.ndarray:
    """Holm's step-down adjusted p-values, in the order given; NaN stays NaN and is not counted as a test.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=float)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    adjusted = np.full(len(p), np.nan)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)))
    return adjusted


def _row(difference: Difference, adjusted: float) -> dict[str, Any]:
    interval = difference.interval
    return {
        "arm": difference.first,
        "baseline": difference.second,
        "difference": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "p": difference.p_value,
        "p_holm": adjusted,
        "effect_size": difference.effect_size,
        "wins": difference.wins,
        "units": interval.units,
    }


def _interval(
    table: pd.DataFrame, strata: np.ndarray, rng: np.random.Generator, level: float, resamples: int
) -> tuple[Interval, np.ndarray]:
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; expected a number between 0 and 1, for example 0.95")
    cells = table.to_numpy(dtype=float)
    draws, low, high = np.empty(0), np.nan, np.nan  # a single cell says nothing about its spread
    if cells.size > 1:
        draws = _draws(cells, strata, rng, resamples)
        low, high = np.nanquantile(draws, [(1 - level) / 2, (1 + level) / 2])
    interval = Interval(
        float(np.nanmean(cells)), float(low), float(high), level, _units_in_words(table), resamples
    )
    return interval, draws


def _draws(cells: np.ndarray, strata: np.ndarray, rng: np.random.Generator, resamples: int) -> np.ndarray:
    """Bootstrap means: each draw weighs rows and columns by how often they were picked."""
    rows = _pick_counts(strata, rng, resamples)
    columns = _pick_counts(np.zeros(cells.shape[1], dtype=int), rng, resamples)
    seen = ~np.isnan(cells)
    total = np.einsum("re,re->r", rows @ np.where(seen, cells, 0.0), columns)
    count = np.einsum("re,re->r", rows @ seen.astype(float), columns)
    return np.divide(total, count, out=np.full(resamples, np.nan), where=count > 0)


def _pick_counts(strata: np.ndarray, rng: np.random.Generator, resamples: int) -> np.ndarray:
    counts = np.empty((resamples, len(strata)))
    for stratum in np.unique(strata):
        inside = np.flatnonzero(strata == stratum)
        share = np.full(len(inside), 1 / len(inside))
        counts[:, inside] = rng.multinomial(len(inside), share, size=resamples)
    return counts


def _strata(rows: Rows, table: pd.DataFrame, units: Sequence[str], strata: str | None) -> np.ndarray:
    if strata is None:
        return np.zeros(len(table), dtype=int)
    of_unit = pd.DataFrame(rows).groupby(units[0], observed=True)[strata].unique()
    torn = [name for name, values in of_unit.items() if len(values) > 1]
    if torn:
        raise ValueError(f"{units[0]} {torn[0]!r} lies in several strata {strata!r}")
    return np.unique([str(of_unit[name][0]) for name in table.index], return_inverse=True)[1]


def _p_value(draws: np.ndarray) -> float:
    draws = draws[~np.isnan(draws)]
    if not len(draws):
        return float("nan")
    tail = min((draws <= 0).sum(), (draws >= 0).sum())
    return float(min(1.0, 2 * (tail + 1) / (len(draws) + 1)))


def _effect_size(table: pd.DataFrame) -> float:
    differences = table.mean(axis=1).to_numpy()
    spread = differences.std(ddof=1) if len(differences) > 1 else 0.0
    return float(differences.mean() / spread) if spread > 0 else float("nan")


def _wins(table: pd.DataFrame) -> float:
    cells = table.to_numpy(dtype=float)
    cells = cells[~np.isnan(cells)]
    return float(((cells > 0) + 0.5 * (cells == 0)).mean())


def _units_in_words(table: pd.DataFrame) -> str:
    names = [table.index.name, table.columns.name if table.columns.name else None]
    sizes = [(n, name) for n, name in zip(table.shape, names, strict=True) if name]
    return " x ".join(f"{n} {name}{'' if n == 1 else 's'}" for n, name in sizes)
