"""A run's folder: rows outlive restarts, and what is in it can be looked at.

The trainer is a script that, as verl's file logger does, empties the file of rows when it begins.
"""

import json
import sys

import pytest

from tvlab.foundation.atomic_files import read_jsonl, write_json
from tvlab.foundation.errors import UserError
from tvlab.learning.verl.launch_data import split_items
from tvlab.learning.verl.launch_settings import Launch
from tvlab.learning.verl.shown_run import run_or_reason
from tvlab.learning.verl.trainer_rows import kept_rows
from tvlab.learning.verl.training_run import run_training
from tvlab.learning.verl.verl_process import find_verl
from tvlab.reporting.verl_runs import about_run, course_of, item_of_rollout, read_rollouts
from tvlab.tasks.sample import load_sample

TRAINER = """#!PYTHON
import json, os, sys
if sys.argv[1] == "-c":
    print(json.dumps({"verl": "0.9.1", "torch": "2.11.0", "vllm": True, "gpus": ["a GPU"]}))
    sys.exit()
plan = json.load(open("PLAN"))
with open(os.environ["VERL_FILE_LOGGER_PATH"], "w") as rows:
    for step in plan["steps"]:
        rows.write(json.dumps({"step": step, "data": {"tvlab/turn_reward": plan["reward"]}}) + "\\n")
with open(os.environ["TVLAB_ROLLOUTS"], "a") as rollouts:
    rollouts.write(json.dumps(plan["rollout"]) + "\\n")
print(" ".join(sys.argv))
sys.exit(plan["code"])
"""


@pytest.fixture
def trainer(tmp_path):
    """Path of the script; ``trainer.plan(steps, reward, code)`` says what it does next."""
    program, plan = tmp_path / "python", tmp_path / "plan.json"
    program.write_text(TRAINER.replace("PYTHON", sys.executable).replace("PLAN", str(plan)))
    program.chmod(0o755)
    item = load_sample()[0]
    rollout = {"step": 1, "group": 0, "rollout": 0, "item": item.id, "turns": 1, "turn_rewards": [1.0], "truncated": [],
               "prompt": "", "tokens": [["Done.", 0, 0.5]]}  # fmt: skip

    def does(steps, reward, code=0):
        write_json(plan, {"steps": list(steps), "reward": reward, "code": code, "rollout": rollout})
        return str(program)

    return does


def rewards(file):
    return {row["step"]: row["data"]["tvlab/turn_reward"] for row in read_jsonl(file)}


def test_rows_of_a_run_that_failed_are_kept_when_it_goes_on(trainer, tmp_path):
    launch = Launch("gpu", tmp_path / "model", tmp_path / "out", [tmp_path])
    items = split_items(load_sample()[:40])
    with pytest.raises(UserError, match="verl ended with code 1"):
        run_training(launch, items, find_verl(trainer(range(3), 0.25, 1)), show=False)
    assert rewards(launch.rows_file) == {0: 0.25, 1: 0.25, 2: 0.25}
    run_training(launch, items, find_verl(trainer(range(2, 5), 0.5)), show=False)  # step 2 had no checkpoint
    assert rewards(launch.rows_file) == {0: 0.25, 1: 0.25, 2: 0.5, 3: 0.5, 4: 0.5}
    assert sorted(path.name for path in launch.out.iterdir()) == [
        ".lock", "about.json", "data", "items.jsonl", "log.txt", "rollouts.jsonl", "rows.jsonl"
    ]  # fmt: skip


def test_rows_that_a_killed_command_laid_aside_are_not_lost(tmp_path):
    file = tmp_path / "rows.jsonl"

    def line(step, reward):
        return json.dumps({"step": step, "data": {"tvlab/turn_reward": reward}}) + "\n"

    (tmp_path / "rows-earlier.jsonl").write_text(line(1, 0.1) + line(2, 0.1))
    file.write_text(line(2, 0.2) + line(3, 0.2) + line(4, 0.2)[:20])  # the last line was cut
    with kept_rows(file):
        file.write_text(line(4, 0.4))
    assert rewards(file) == {1: 0.1, 2: 0.2, 3: 0.2, 4: 0.4}
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]


def test_a_real_run_is_made_once_for_the_notebook_and_can_be_looked_at(trainer, tmp_path):
    from types import SimpleNamespace

    sample = load_sample()
    environments = {item.environment: SimpleNamespace(path=tmp_path / item.environment) for item in sample}
    given = (environments, tmp_path / "out", "tara", 0, "", "gpu", str(tmp_path / "model"))
    with pytest.raises(UserError, match="holds no model"):
        run_or_reason(trainer(range(1, 201), 0.5), *given)
    write_json(tmp_path / "model" / "config.json", {})
    for reward in (0.5, 0.75):  # the second time nothing is started
        folder, reason = run_or_reason(trainer(range(1, 201), reward), *given)
        assert (folder, reason) == (tmp_path / "out", "")
    assert set(rewards(folder / "rows.jsonl").values()) == {0.5}
    assert course_of(folder)["step"].nunique() == 200
    assert about_run(folder) == {**about_run(folder), "hardware": "1 x a GPU", "model": "model", "rollouts": 256}
    (rollout,) = read_rollouts(folder)
    assert item_of_rollout(folder, rollout).id == sample[0].id
    log = (folder / "log.txt").read_text()
    assert "--config-name tvlab_ppo" in log
    assert str(tmp_path / sample[0].environment) in log


def test_where_nothing_is_to_be_run_the_reason_is_said(tmp_path):
    assert run_or_reason("", {}, tmp_path, "tara")[1].startswith("not run here")
    assert run_or_reason("", {}, tmp_path, "tara", run="there")[0].name == "there"
    made = run_or_reason(str(tmp_path / "no-python"), {"a": None}, tmp_path, "tara")
    assert made[0] is None
    assert "run `make verl`" in made[1]
