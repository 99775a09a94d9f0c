"""A trainer ends with the command that started it; one that was left alone holds its folder. The trainers are cheap."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest
from verl_models import REPOSITORY

from tvlab.tasks.gust import write_items
from tvlab.tasks.sample import load_sample

SLEEPS = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(300)"
LAUNCHERS = {
    "run_verl": """
from tvlab.learning.verl.verl_process import run_verl
run_verl([sys.executable, "-c", SLEEPS, str(pid)], out / "log.txt", show=False)
""",
    "TrainerFolder": """
from tvlab.learning.verl.trainer_folder import TrainerFolder
with TrainerFolder(out) as folder:
    folder.run("sft", ["-c", SLEEPS, str(pid)], {}, 1, "model")
""",
}
PYTHON = """#!/bin/sh
if [ "$1" = -c ]; then echo '{"verl": "0.9.1", "torch": "2.11.0", "vllm": true, "gpus": ["a GPU"]}'; exit; fi
exec SELF -c "SLEEPS" PID
"""


@pytest.fixture
def launched(tmp_path):
    """Starts a launcher and waits for its trainer; what still lives at the end is killed."""
    pid, children = tmp_path / "pid", []

    def start(kind):
        own = {**os.environ, "PYTHONPATH": str(REPOSITORY), "TVLAB_HOME": str(tmp_path)}
        words = tvlab_train(tmp_path, pid) if kind == "tvlab train" else ["-c", code(kind, tmp_path, pid)]
        log = (tmp_path / "out.txt").open("w")
        with log:
            parent = subprocess.Popen([sys.executable, *words], env=own, stdout=log, stderr=log)
        children.append(parent)
        return parent

    def trainer(parent):
        late = time.monotonic() + 120
        while time.monotonic() < late and parent.poll() is None:
            if pid.is_file() and (text := pid.read_text()):
                children.append(psutil.Process(int(text)))
                return children[-1]
            time.sleep(0.1)
        pytest.fail((tmp_path / "out.txt").read_text()[-2000:])

    start.trainer = trainer
    yield start
    for process in children:
        with suppress(psutil.NoSuchProcess):
            process.kill()
        ended(process)


def ended(process):
    """Wait until a process is gone; one that nobody waits for may stay as a zombie."""
    if isinstance(process, subprocess.Popen):
        process.wait()
        return
    late = time.monotonic() + 60
    with suppress(psutil.NoSuchProcess):
        while process.status() != psutil.STATUS_ZOMBIE and time.monotonic() < late:
            time.sleep(0.05)


def code(kind, folder, pid):
    places = f"out, pid = Path({str(folder)!r}), Path({str(pid)!r})"
    return f"import sys\nfrom pathlib import Path\nSLEEPS = {SLEEPS!r}\n{places}{LAUNCHERS[kind]}"


def tvlab_train(folder, pid):
    """The words of a launch whose Python says that it has verl and a GPU, and then sleeps."""
    fake, model = folder / "python", folder / "model"
    fake.write_text(PYTHON.replace("SELF", sys.executable).replace("SLEEPS", SLEEPS).replace("PID", str(pid)))
    fake.chmod(0o755)
    model.mkdir(exist_ok=True)
    (model / "config.json").write_text(json.dumps({"model_type": "qwen3"}))
    write_items(folder / "items.jsonl", load_sample()[:6])
    words = ["train", "--profile", "gpu", "--model", model, "--verl", fake, "--out", folder / "out"]
    words += ["--items", folder / "items.jsonl", "--environments", folder]
    return ["-m", "tvlab", *map(str, words)]


@pytest.mark.parametrize("kind", [*LAUNCHERS, "tvlab train"])
def test_a_trainer_ends_with_a_command_that_is_told_to(launched, kind):
    parent = launched(kind)
    trainer = launched.trainer(parent)
    assert trainer.is_running()
    parent.send_signal(signal.SIGTERM)
    assert parent.wait(60) == 128 + signal.SIGTERM
    assert not trainer.is_running()


def test_a_trainer_whose_command_was_killed_holds_the_folder_until_it_ends(launched, tmp_path):
    parent = launched("tvlab train")
    trainer = launched.trainer(parent)
    parent.kill()
    parent.wait()
    assert trainer.is_running()
    again = launched("tvlab train")
    assert again.wait(120) == 2
    _, told = (tmp_path / "out.txt").read_text().splitlines()
    assert told.startswith("tvlab: another run still works in")
    trainer.kill()
    ended(trainer)
    (tmp_path / "pid").unlink()
    launched.trainer(launched("tvlab train"))
