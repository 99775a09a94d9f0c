"""Loads the dataset of a NeMo Gym export by the reader that verifiers has for it: ``nemo_rows_check.py FOLDER``.

For a Python with verifiers; the package nemo-gym itself wants a later Python. Prints the number of tasks.
"""

import sys
from pathlib import Path

from verifiers.v1.tasksets.nemo_gym import NeMoGymConfig, NeMoGymTaskset


def main() -> None:
    tasks = list(NeMoGymTaskset(NeMoGymConfig(dataset=Path(sys.argv[1]) / "dataset.jsonl")))
    assert all(task.data.row["responses_create_params"]["tools"] for task in tasks)
    assert all(len(task.data.prompt) == 2 for task in tasks)
    print(len(tasks))


if __name__ == "__main__":
    main()
