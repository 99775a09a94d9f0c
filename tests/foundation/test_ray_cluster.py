"""A Ray cluster of two nodes on this machine; skipped where Ray (extra ``ray``) is not installed."""

import importlib.util
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from worker_jobs import fail_on_two, leave_a_mark, process_of, square, square_or_die

from tvlab.foundation.errors import UserError
from tvlab.foundation.ray_cluster import VARIABLE, ray_address
from tvlab.foundation.runner import WorkerDiedError, run_jobs

WITH_RAY = importlib.util.find_spec("ray") is not None


@pytest.mark.skipif(WITH_RAY, reason="Ray is installed: its absence cannot be tried")
def test_without_ray_the_message_says_what_to_do():
    with pytest.raises(UserError, match=r"Ray is not installed here: install it \(pip install 'tvlab\[ray\]'\)"):
        run_jobs(square, range(3), progress=False, ray="127.0.0.1:6379")


def test_the_address_comes_from_the_environment(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert ray_address() == ""
    monkeypatch.setenv(VARIABLE, "head:6379")
    assert ray_address() == "head:6379"


def test_a_single_job_stays_here_whatever_the_address():
    assert run_jobs(process_of, [0], progress=False, ray="nowhere:1") == [os.getpid()]


pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning:ray")


@pytest.mark.slow
def test_jobs_run_on_both_nodes_and_results_come_in_order(two_ray_nodes, project):
    assert run_jobs(square, range(7), progress=False, ray=two_ray_nodes) == [n * n for n in range(7)]
    assert run_jobs(partial(pow, 2), range(7), progress=False, ray=two_ray_nodes) == [2**n for n in range(7)]
    processes = run_jobs(process_of, [1.0] * 4, progress=False, ray=two_ray_nodes)
    assert len(set(processes)) >= 2
    assert os.getpid() not in processes


@pytest.mark.slow
def test_failures_and_deaths_are_told_as_in_worker_processes(two_ray_nodes, project, tmp_path):
    with pytest.raises(WorkerDiedError) as died:
        run_jobs(square_or_die, range(6), progress=False, ray=two_ray_nodes)
    assert (died.value.jobs, died.value.results) == ([3], [0, 1, 4, None, 16, 25])
    with pytest.raises(ValueError, match="two is not wanted") as failed:
        run_jobs(fail_on_two, [2, 0, 2], progress=False, ray=two_ray_nodes)
    assert failed.value.__notes__ == ["in job 0 of 3: 2", "also failed: 1 jobs (2)"]
    with pytest.raises(UserError, match="two is the user's mistake"):
        run_jobs(leave_a_mark, [(str(tmp_path), number) for number in (2, 10)], progress=False, ray=two_ray_nodes)


@pytest.mark.slow
def test_build_gives_the_same_bytes_on_a_cluster_as_here(two_ray_nodes, project, tmp_path):
    from tvlab.environments.build import build_environments
    from tvlab.environments.tool_lists import load_tool_lists

    lists = load_tool_lists("embedded")[:3]
    built = {}
    for where in ("", two_ray_nodes):
        out = tmp_path / (where.replace(":", "-") or "here")
        os.environ[VARIABLE] = where
        try:
            build_environments(lists, out, progress=False)
        finally:
            del os.environ[VARIABLE]
        built[where] = {path.relative_to(out): path.read_bytes() for path in sorted(out.rglob("*.*")) if path.is_file()}
    assert len(built[""]) > 10
    assert built[""] == built[two_ray_nodes]


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_the_users_to_mend():
    if not WITH_RAY:
        pytest.skip("Ray is not installed: pip install 'tvlab[ray]'")
    code = "from tvlab.foundation.runner import run_jobs; run_jobs(abs, [1, 2], progress=False, ray='127.0.0.1:1')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert "UserError: no Ray cluster answers at 127.0.0.1:1" in done.stderr
