"""Choose each arm's learning rate on the validation environments and write the package's table.

    python benchmarks/learning_rates.py --profile lab --seeds 2 --workers 2

Runs are stored and resumed. An arm's best candidate is taken by turn reward on environments that are never tested; an
arm whose best is the lowest or highest candidate is tried at one rate beyond. One seed is too few: a rate that one run
likes can be unstable (LOG.md).
"""

import argparse
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from tvlab.evaluation.lab_experiment import job_of, run_grid
from tvlab.evaluation.lab_rates import CANDIDATES, TABLE, at_the_edge, choose_rates
from tvlab.learning.advantages import BUILT_IN

FIRST_SEED = 100  # seeds of the comparisons begin at 0


def main() -> None:
    """Parse the command line, run, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", default="lab")
    parser.add_argument("--arms", default=",".join(BUILT_IN))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "tvlab" / "data" / TABLE)
    options = parser.parse_args()
    pairs = [(arm, lr) for arm in options.arms.split(",") for lr in CANDIDATES]
    table = tried(pairs, options)
    if further := at_the_edge(table):
        table = tried(sorted({*pairs, *further.items()}), options)
    table.to_csv(options.out, index=False, float_format="%.4f", lineterminator="\n")
    print(table.to_string(index=False))


def tried(pairs: Iterable[tuple[str, float]], options: argparse.Namespace) -> pd.DataFrame:
    """Run the (arm, rate) pairs and return the table of ``choose_rates``."""
    jobs = [
        job_of(options.profile, arm, FIRST_SEED + seed, lr=lr, labels={"lr": lr})
        for arm, lr in pairs
        for seed in range(options.seeds)
    ]
    return choose_rates(run_grid(jobs, options.workers).validation, options.profile)


if __name__ == "__main__":
    main()
