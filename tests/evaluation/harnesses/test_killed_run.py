"""The command that scores, over a real harness, killed again and again: nothing is lost and nothing asked twice."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from scripted_models import bfcl_script, scripted_models

from tvlab.evaluation.score_rows import BENCHES, drawn_tasks
from tvlab.foundation.atomic_files import read_jsonl

TASKS, AT_ONCE = 8, 2


@pytest.mark.slow
@pytest.mark.timeout(3600)  # the first use makes an environment
def test_a_run_of_bfcl_that_is_killed_goes_on_without_asking_again(set_up, harness_of, tmp_path):
    set_up("bfcl")
    harness = harness_of("bfcl")
    chosen = [name for at in BENCHES["bfcl"] for name in drawn_tasks(harness.tasks(at), TASKS // len(BENCHES["bfcl"]))]
    gold = [harness.request("gold", 60.0, task=name) for name in chosen]
    turns = {task["opening"]: task["turns"] for task in gold}
    assert len(turns) == TASKS
    asked = []

    def script(side, body):
        asked.append(json.dumps(body["messages"], sort_keys=True))
        time.sleep(0.1)
        opening = next(message["content"] for message in body["messages"] if message["role"] == "user")
        return bfcl_script(turns[opening], "native")(side, body)

    with scripted_models(lambda key: script) as setting:
        command = [
            *(sys.executable, "-m", "tvlab", "evaluate", "--bench", "bfcl", "--runs", "1", "--limit", str(TASKS)),
            *("--base-url", setting("all").agent_url, "--model", "scripted", "--out", str(tmp_path / "scores")),
            *("--concurrency", str(AT_ONCE)),
        ]
        kills = 0
        while True:
            before = len(asked)
            run = subprocess.Popen(command, start_new_session=True, env=dict(os.environ), stderr=subprocess.DEVNULL)
            while run.poll() is None and len(asked) < before + 15:
                time.sleep(0.05)
            if run.poll() is not None:
                break
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            kills += 1
    assert run.returncode == 0
    assert kills > 1
    rows = read_jsonl(tmp_path / "scores" / "rows.jsonl")
    assert sorted(row["task"] for row in rows) == sorted(chosen)
    assert {row["score"] for row in rows} == {1.0}
    again = len(asked) - len(set(asked))  # only what was under way when the run was killed
    assert again <= kills * AT_ONCE
