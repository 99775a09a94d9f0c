"""vLLM's CPU build under verl: training, and that new weights arrive everywhere, the tied output layer included."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from verl_models import CPU_VARIABLES, items_for, need_vllm, real_model, small_environments
from verl_runs import train

from tvlab.tasks.dataset_export import write_verl_parquet

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]
VARIABLES = {**CPU_VARIABLES, "VLLM_ENABLE_V1_MULTIPROCESSING": "0"}


@pytest.fixture(scope="module", autouse=True)
def _vllm():
    need_vllm()


@pytest.fixture(scope="module")
def tied(tmp_path_factory):
    from tvlab.learning.verl.small_models import tiny

    return tiny(real_model(), tmp_path_factory.mktemp("model") / "tied")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    items = items_for(small_environments(folder / "environments"), 6, shares={"irrelevant": 0.5})
    write_verl_parquet({"train": items, "validation": items[::5]}, folder)
    return folder


def log_probs(model, out, *weights):
    script = Path(__file__).with_name("vllm_log_probs.py")
    command = [sys.executable, str(script), str(model), str(out), *map(str, weights)]
    done = subprocess.run(command, env={**os.environ, **VARIABLES}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return {name: np.array(values) for name, values in json.loads(out.read_text()).items()}


def test_an_engine_with_new_weights_gives_the_log_probabilities_of_a_fresh_one(tied, tmp_path):
    import torch
    from safetensors.torch import load_file, save_file

    generator = torch.Generator().manual_seed(1)
    old = load_file(tied / "model.safetensors")
    new = {n: (x + 3 * x.std() * torch.randn(x.shape, generator=generator)).to(x.dtype) for n, x in old.items()}
    other = tmp_path / "other"
    shutil.copytree(tied, other)
    save_file(new, other / "model.safetensors", metadata={"format": "pt"})
    fresh = log_probs(other, tmp_path / "fresh.json")["before"]
    found = log_probs(tied, tmp_path / "reloaded.json", other / "model.safetensors")
    assert np.abs(found["before"] - fresh).max() > 0.1
    np.testing.assert_allclose(found["after"], fresh, atol=1e-4)


def test_training_with_vllm_keeps_engine_and_actor_the_same_over_large_steps(tied, data, tmp_path):
    rows = train(
        tmp_path, tied, data, 4, 2400, "tvlab_cpu_vllm",
        actor_rollout_ref__actor__optim__lr=2e-2, tvlab__turn_reward="coin_reward:coin",
    )  # fmt: skip
    assert [row["step"] for row in rows] == [1, 2, 3, 4]
    assert all(row["actor/grad_norm"] > 0 for row in rows)
    last = rows[-1]
    assert last["actor/entropy"] < rows[0]["actor/entropy"] - 0.02  # the policy is another one by now
    assert last["training/rollout_actor_probs_pearson_corr"] > 0.99
    assert last["training/rollout_probs_diff_max"] < 1e-2
