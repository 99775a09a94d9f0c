"""CPU time of one training run of the lab policy: 150 updates x 16 items x 8 rollouts, bar 10 s on one core.

    python benchmarks/bench_lab_run.py --updates 150 --arm tara

Prints CPU seconds, and those of a second run in the same process, which has read the words already.
"""

import argparse
import time

from tvlab.evaluation.lab_experiment import lab_config, worlds
from tvlab.evaluation.lab_run import train_on
from tvlab.evaluation.suite import folds, load_suite


def main() -> None:
    """Parse the command line, train twice, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--updates", type=int, default=150)
    parser.add_argument("--arm", default="tara")
    options = parser.parse_args()
    suite = load_suite("lab")
    seen, _ = folds(sorted(suite.items))[0]
    config = lab_config("lab", options.arm, updates=options.updates, items_per_update=16, lr=0.2, validate_every=0)
    for which in ("first run", "second run in the process"):
        start = time.process_time()
        rows = train_on(config, worlds(suite, seen)).rows
        took = time.process_time() - start
        print(f"{which}: {took:.1f} CPU s, {1e3 * took / options.updates:.0f} ms an update, "
              f"turn reward {rows[-1]['turn_reward']:.3f}")  # fmt: skip


if __name__ == "__main__":
    main()
