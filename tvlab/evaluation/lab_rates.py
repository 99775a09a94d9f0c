"""The learning rate of each arm, chosen on validation environments and kept in a small table of the package.

``choose_rates`` trains every arm at every candidate and takes the rate with the best turn reward on the validation
environments, which no comparison is tested on (``lab_split.py``); ``benchmarks/learning_rates.py`` writes the table.
The package's table has every built-in arm at every candidate, and at one rate more where the best lay at an edge. Where
a table lacks an arm, the arm takes the rate of its kin (TARA's if its advantage is made turn by turn, GRPO's if it is
one for the whole rollout), else the lab policy's default.
"""

from __future__ import annotations

import csv
from functools import lru_cache
from importlib import resources

import pandas as pd

from tvlab.learning.lab_trainer import LabConfig

CANDIDATES = (0.1, 0.2, 0.4, 0.8)
BEYOND = {CANDIDATES[0]: 0.05, CANDIDATES[-1]: 1.6}
"""The further rate of an arm whose best candidate is the lowest or the highest."""
TABLE = "lab_learning_rates.csv"
KIN = {
    **dict.fromkeys("turn_local_future turn_local return_to_go mt_grpo matchtir gigpo espo".split(), "tara"),
    **dict.fromkeys("grpo_outcome dr_grpo rloo salt".split(), "grpo"),
}


def rate_of(arm: str) -> float:
    """Return the learning rate that was chosen for an arm, else for its kin, else the default."""
    chosen = chosen_rates()
    return chosen.get(arm, chosen.get(KIN.get(arm, ""), LabConfig().lr))


@lru_cache(maxsize=1)
def chosen_rates() -> dict[str, float]:
    """Return {arm: chosen learning rate} of the table."""
    return {row["arm"]: float(row["lr"]) for row in rate_table() if row["chosen"] == "yes"}


def rate_table() -> list[dict[str, str]]:
    """Return the table: arm, lr, validation score, runs, whether it was chosen, profile."""
    path = resources.files("tvlab") / "data" / TABLE
    if not path.is_file():
        return []
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def at_the_edge(table: pd.DataFrame) -> dict[str, float]:
    """Return {arm: further rate} of the arms whose best candidate in ``choose_rates``'s table has none beyond it."""
    best = table[table["chosen"] == "yes"]
    return {row.arm: BEYOND[row.lr] for row in best.itertuples() if row.lr in BEYOND}


def choose_rates(validation: pd.DataFrame, profile: str) -> pd.DataFrame:
    """Return the table for validation rollouts that carry the column ``lr``.

    Args:
        validation: arm, lr, seed, environment, turn_reward.
        profile: the scale of the runs.

    Returns:
        One row an (arm, lr): score (mean over environments and seeds), runs, chosen (yes for the best of the arm,
        the smaller rate among equals).
    """
    cells = validation.groupby(["arm", "lr", "seed", "environment"])["turn_reward"].mean()
    table = cells.groupby(["arm", "lr"]).mean().rename("score").reset_index()
    runs = validation.groupby(["arm", "lr"])["seed"].nunique().rename("runs").reset_index()
    table = table.merge(runs, on=["arm", "lr"])
    best = table.sort_values(["score", "lr"], ascending=[False, True]).groupby("arm").head(1).index
    table["chosen"] = ["yes" if at in best else "no" for at in table.index]
    return table.assign(profile=profile)
