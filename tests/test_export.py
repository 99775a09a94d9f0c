"""`tvlab export`: each form is written, loads, and pays a scripted policy what the episode pays.

The forms that need a package run with a Python that has it: TVLAB_EXPORT_PYTHONS names a folder with one environment
each, trl/, verifiers/ and openenv/ (docs/exports.md says how they are made).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tvlab.environments.environment import Environment
from tvlab.foundation.errors import UserError
from tvlab.tasks.export_forms import FORMS, export
from tvlab.tasks.graph import build_graph
from tvlab.tasks.gust import build_items, read_items, write_items

REPOSITORY = Path(__file__).resolve().parents[1]
CHECKS = REPOSITORY / "scripts" / "export_checks"
BOOKSTORE = REPOSITORY / "tests" / "data" / "environments" / "bookstore"


@pytest.fixture(scope="module")
def bookstore():
    return Environment.load(BOOKSTORE)


@pytest.fixture(scope="module")
def items(bookstore):
    return build_items(bookstore, build_graph(bookstore), 3, seed=3)


def run(python, *words):
    place = {**os.environ, "PYTHONPATH": str(REPOSITORY), "TVLAB_SANDBOX": "off", "HF_HUB_OFFLINE": "1"}
    command = [python, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=place, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip().splitlines()[-1]


@pytest.mark.parametrize("form", FORMS)
def test_the_command_writes_environments_items_and_the_file_that_is_loaded(form, items, tmp_path):
    path = write_items(tmp_path / "items.jsonl", items)
    command = [sys.executable, "-m", "tvlab", "export", BOOKSTORE, "--to", form, "--items", path, "--out",
               tmp_path / form, "--sandbox", "off"]  # fmt: skip
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    written = read_items(tmp_path / form / "items.jsonl")
    assert [item.to_json() for item in written] == [item.to_json() for item in items]
    assert (tmp_path / form / "environments" / "bookstore" / "tools.py").is_file()
    loaded = Path(done.stdout.split(": its")[0].strip())
    assert loaded.is_file()
    if loaded.suffix == ".py":
        compile(loaded.read_text(encoding="utf-8"), str(loaded), "exec")


def test_an_unknown_form_and_items_of_other_environments_are_named(bookstore, items, tmp_path):
    with pytest.raises(UserError, match="choose from trl, verifiers, openenv, nemo-gym"):
        export("rllib", {"bookstore": bookstore}, items, tmp_path)
    with pytest.raises(UserError, match="no item of shop"):
        export("trl", {"shop": bookstore}, items, tmp_path)


PLAYED = """
import sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
import json, tvlab_environments as exported
from scripted import golden_calls
rows = []
for row in exported.ROWS:
    item = exported.ITEMS[row["item"]]
    for forget in (False, True):
        tools = exported.environment_factory[row["environment"]]()
        words = tools.reset(item=row["item"])
        assert words == item.turns[0].user
        for name, arguments in golden_calls(exported.ENVIRONMENTS[item.environment], item, forget):
            getattr(tools, name)(**arguments)
        rows.append([exported.turn_rewards([tools])[0], tools.get_reward()])
print(json.dumps(rows))
"""


def test_the_trl_form_needs_no_trl_to_play_and_pays_a_scripted_policy(bookstore, items, tmp_path):
    export("trl", {"bookstore": bookstore}, items, tmp_path)
    rows = json.loads(run(sys.executable, "-c", PLAYED, tmp_path, CHECKS))
    for (golden, all_of_it), (short, less) in zip(rows[::2], rows[1::2], strict=True):
        assert (set(golden), all_of_it) == ({1.0}, 1.0)
        assert short.count(0.0) == 1
        assert less == pytest.approx(1 - 1 / len(short))


def python_with(package: str) -> str:
    folder = os.environ.get("TVLAB_EXPORT_PYTHONS", "")
    path = Path(folder) / package / "bin" / "python"
    if not folder or not path.is_file():
        pytest.skip(f"no Python with {package}: set TVLAB_EXPORT_PYTHONS to a folder of environments")
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize(("form", "package", "script"), [
    ("openenv", "openenv", "openenv_check.py"), ("verifiers", "verifiers", "verifiers_check.py"),
])  # fmt: skip
def test_the_packages_own_loop_pays_a_scripted_policy(form, package, script, bookstore, items, tmp_path):
    python = python_with(package)
    export(form, {"bookstore": bookstore}, items, tmp_path)
    rows = json.loads(run(python, CHECKS / script, tmp_path))
    assert [set(golden) for golden, _ in rows] == [{1.0}] * len(items)
    assert [short.count(0.0) for _, short in rows] == [1] * len(items)


@pytest.mark.slow
def test_trls_trainer_makes_a_step_with_the_rewards_of_the_episodes(bookstore, items, tmp_path):
    python = python_with("trl")
    export("trl", {"bookstore": bookstore}, items, tmp_path)
    (golden, short), logged = json.loads(run(python, CHECKS / "trl_check.py", tmp_path))
    assert set(golden) == {1.0}
    assert short.count(0.0) == 1
    assert logged == pytest.approx((1 + sum(short) / len(short)) / 2)


@pytest.mark.slow
def test_the_nemo_gym_rows_are_read_by_a_reader_of_that_form(bookstore, items, tmp_path):
    python = python_with("verifiers")
    export("nemo-gym", {"bookstore": bookstore}, items, tmp_path)
    assert int(run(python, CHECKS / "nemo_rows_check.py", tmp_path)) == len(items)
