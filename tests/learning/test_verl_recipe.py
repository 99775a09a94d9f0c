"""From a checkpoint to a score, as docs/scale_out.md has it: training, `tvlab export-model`, vLLM, `tvlab evaluate`.

Each command is started as a user starts it, and the last two are the lines that the export prints. What is trained is
led by an agent that knows nothing of training: a loop around OpenAI's client.
"""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import numpy as np
import pytest
from verl_models import CPU_VARIABLES, items_for, need_vllm, real_model, small_environments
from verl_runs import train

from tvlab.foundation.atomic_files import read_jsonl
from tvlab.tasks.dataset_export import write_verl_parquet
from tvlab.tasks.episode import Episode
from tvlab.tasks.gust import write_items

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]
PROMPT = [1, 520, 28, 198, 33, 1200, 305, 77, 9, 400, 2, 198, 1, 4093, 198]


@pytest.fixture(scope="module")
def environments(tmp_path_factory):
    need_vllm()
    return small_environments(tmp_path_factory.mktemp("data") / "environments")


@pytest.fixture(scope="module")
def items(environments):
    """Half of their turns want no call: a model that says nothing is right in these and wrong in the others."""
    return items_for(environments, 6, shares={"irrelevant": 0.5})


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """It ends a message with probability 0.08 a token, so that by its likeliest token it says nothing at all."""
    need_vllm()
    from tvlab.learning.verl.small_models import tiny

    return tiny(real_model(), tmp_path_factory.mktemp("model") / "tiny", tied=False, ends=0.08)


@pytest.fixture(scope="module")
def trained(environments, items, model, tmp_path_factory):
    """Folder and rows of one step of TARA with somebody else's agent."""
    folder, data = tmp_path_factory.mktemp("run"), environments[0].path.parents[1]
    write_verl_parquet({"train": items, "validation": items[::5]}, data)
    return folder, train(folder, model, data, 1, tvlab__agent__path="outside_agents:openai_agent")


def command(*words, **variables):
    """What a command of tvlab prints."""
    own = {**os.environ, **CPU_VARIABLES, **variables}
    words = [sys.executable, "-m", "tvlab", *map(str, words)]
    done = subprocess.run(words, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-1500:]
    return done.stdout


@contextmanager
def served(words, log):
    """vLLM, started by a command line with a free port, until the block ends; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    program, *words = words
    assert program == "vllm"
    words[words.index("--port") + 1] = port
    words += ["--dtype", "float32", "--max-model-len", "4096", "--enforce-eager", "--max-num-seqs", "4"]
    program = Path(sys.executable).with_name("vllm")
    own = {**os.environ, **CPU_VARIABLES}
    with log.open("w") as out:
        process = subprocess.Popen([program, *words], env=own, stdout=out, stderr=out, start_new_session=True)
        try:
            wait_for(f"http://127.0.0.1:{port}/health", process, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def wait_for(address, process, log, seconds=900):
    late = time.monotonic() + seconds
    while time.monotonic() < late and process.poll() is None:
        try:
            with urlopen(address, timeout=10):
                return
        except (URLError, OSError):
            time.sleep(2)
    pytest.fail(f"vLLM does not serve: {log.read_text()[-3000:]}")


def served_log_probs(address, name):
    body = {"model": name, "prompt": PROMPT, "max_tokens": 1, "temperature": 0, "prompt_logprobs": 0}
    asked = Request(f"{address}/completions", json.dumps(body).encode(), {"content-type": "application/json"})
    with urlopen(asked, timeout=300) as answer:
        (choice,) = json.load(answer)["choices"]
    pairs = zip(PROMPT, choice["prompt_logprobs"], strict=True)
    return np.array([found[str(token)]["logprob"] for token, found in pairs if found])


def log_probs(folder):
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad():
        said = torch.log_softmax(model(torch.tensor([PROMPT])).logits[0, :-1], -1)
    return said[range(len(PROMPT) - 1), PROMPT[1:]].numpy()


def test_an_agent_that_knows_nothing_of_training_is_trained_by_verl(trained):
    _, (row,) = trained
    assert row["tvlab/rollouts"] == 8
    assert row["training/rollout_probs_diff_max"] < 1e-3  # the tokens and log-probabilities are those that it wrote
    assert 0 < row["tvlab/turn_reward"] < 1
    assert row["tvlab/turn_1/advantage_size"] > 0.1
    assert row["actor/grad_norm"] > 0


def test_a_checkpoint_becomes_a_folder_that_vllm_serves_and_tvlab_scores(trained, environments, items, model, tmp_path):
    run, out = trained[0], tmp_path / "hf"
    told = command("export-model", run, "--out", out, "--name", "my-model", "--verl", sys.executable)
    serve, evaluate = (shlex.split(line) for line in told.splitlines() if line.startswith("  "))
    assert evaluate[:2] == ["tvlab", "evaluate"]
    write_items(tmp_path / "items.jsonl", items)
    with served(serve, tmp_path / "vllm.log") as address:
        np.testing.assert_allclose(served_log_probs(address, "my-model"), log_probs(out), atol=1e-3)
        evaluate[evaluate.index("--base-url") + 1] = address
        evaluate += ["--items", tmp_path / "items.jsonl", "--environments", environments[0].path.parent]
        evaluate += "--runs 1 --temperature 0 --max-tokens 48 --sandbox off --concurrency 4".split()
        shown = command(*evaluate[1:], "--out", tmp_path / "scores", TVLAB_HOME=str(tmp_path))
    assert np.abs(log_probs(out) - log_probs(model)).max() > 1e-3  # what is served is not what training began with
    rows = read_jsonl(tmp_path / "scores" / "rows.jsonl")
    assert len(rows) == len(items)
    assert [row["error"] for row in rows if row["error"]] == []
    found = sorted(row["partial"] for row in rows)
    assert found == pytest.approx(sorted(silent(environments, item) for item in items))
    assert 0 < np.mean(found) < 1
    assert "my-model" in shown


def silent(environments, item):
    """Mean turn reward of an agent that calls nothing and says nothing."""
    (environment,) = (one for one in environments if one.name == item.environment)
    episode = Episode(environment, item)
    while not episode.done:
        episode.end_turn("")
    return float(np.mean(episode.rewards))
