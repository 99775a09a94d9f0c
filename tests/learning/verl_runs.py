"""Runs of the entry point, as a user starts it, for tests; sizes that two cores do in a minute."""

import json
import os
import subprocess
import sys
from pathlib import Path

from verl_models import REPOSITORY

SIZES = {
    "tvlab.sandbox": "off",
    "tvlab.limits.turn_tokens": 12,
    "tvlab.limits.turn_calls": 3,
    "data.train_batch_size": 2,
    "data.max_prompt_length": 1024,
    "data.max_response_length": 512,
    "actor_rollout_ref.rollout.n": 4,
    "actor_rollout_ref.actor.ppo_mini_batch_size": 1,
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": 4,
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu": 4,
    "actor_rollout_ref.actor.optim.lr": 1e-3,
    "trainer.total_epochs": 50,
    "trainer.save_freq": 1,
    "trainer.test_freq": -1,
    "trainer.val_before_train": False,
}


def train(
    folder: Path, model: Path, data: Path, steps: int, seconds: float = 1400, config: str = "tvlab_cpu", **overrides
) -> list[dict]:
    """Train in a process of its own and return the rows that verl's file logger wrote.

    Args:
        folder: of checkpoints, rows and log; a run that finds checkpoints there goes on.
        model, data: a model's folder, and one with train.parquet, validation.parquet and environments/.
        steps: how far.
        seconds, config: until it is given up; hydra's --config-name.
        overrides: of hydra, with "__" for ".".
    """
    code, log = ended(folder, model, data, steps, seconds, config, **overrides)
    assert code == 0, log[-6000:]
    rows = (folder / f"rows-{steps}.jsonl").read_text().splitlines()
    return [{"step": row["step"], **row["data"]} for row in map(json.loads, rows)]


def ended(
    folder: Path, model: Path, data: Path, steps: int, seconds: float = 1400, config: str = "tvlab_cpu", **overrides
) -> tuple[int, str]:
    """Exit status and log of a run; the arguments are those of ``train``."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        **SIZES,
        "tvlab.environments": f"[{data / 'environments'}]",
        "data.train_files": data / "train.parquet",
        "data.val_files": data / "validation.parquet",
        "actor_rollout_ref.model.path": model,
        "trainer.total_training_steps": steps,
        "trainer.default_local_dir": folder / "checkpoints",
        **{name.replace("__", "."): value for name, value in overrides.items()},
    }
    words = [f"{name}={value}" for name, value in settings.items()]
    command = [sys.executable, "-m", "tvlab.learning.verl.main_ppo", "--config-name", config, *words]
    paths = f"{REPOSITORY}{os.pathsep}{Path(__file__).parent}"
    rows = folder / f"rows-{steps}.jsonl"
    own = {"VERL_FILE_LOGGER_PATH": str(rows), "HF_HUB_OFFLINE": "1", "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    environment = {**os.environ, **own}
    log = folder / f"log-{steps}.txt"
    with log.open("w") as out:
        done = subprocess.run(
            command, stdout=out, stderr=subprocess.STDOUT, cwd=folder, env=environment, timeout=seconds, check=False
        )
    return done.returncode, log.read_text()
