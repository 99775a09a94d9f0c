import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from worker_jobs import fail_on_two, leave_a_mark, square, square_or_die

from tvlab.foundation.errors import UserError
from tvlab.foundation.runner import WorkerDiedError, run_jobs


def threads(_: int) -> str | None:
    return os.environ.get("OMP_NUM_THREADS")


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_jobs(workers):
    assert run_jobs(square, range(7), workers, progress=False) == [n * n for n in range(7)]


def test_no_jobs_give_no_results():
    assert run_jobs(square, [], 2, progress=False) == []


def test_a_dead_worker_costs_only_its_job_and_is_named():
    with pytest.raises(WorkerDiedError, match="job 3 of 6") as caught:
        run_jobs(square_or_die, range(6), 2, progress=False)
    assert caught.value.jobs == [3]
    assert caught.value.results == [0, 1, 4, None, 16, 25]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_job_raises_its_own_error_with_its_number(workers):
    with pytest.raises(ValueError, match="two is not wanted") as caught:
        run_jobs(fail_on_two, range(4), workers, progress=False)
    assert "job 2 of 4" in "".join(caught.value.__notes__)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_job_is_said_at_once_and_the_others_go_on(workers, tmp_path, capfd):
    jobs = [(str(tmp_path), number) for number in (0, 1, 3, 4, 5)]
    with pytest.raises(ValueError, match="one is not wanted"):
        run_jobs(leave_a_mark, jobs, workers, progress=False, what="marks")
    assert len(list(tmp_path.iterdir())) == 5
    assert "marks: job 1 of 5 failed (ValueError: one is not wanted)" in capfd.readouterr().err


@pytest.mark.parametrize("workers", [1, 2])
def test_all_failed_jobs_are_named(workers):
    with pytest.raises(ValueError) as caught:
        run_jobs(fail_on_two, [2, 0, 2, 2], workers, progress=False)
    assert caught.value.__notes__ == ["in job 0 of 4: 2", "also failed: 2 jobs (2, 3)"]


@pytest.mark.parametrize("workers", [1, 2])
def test_the_users_mistake_ends_the_run_at_once(workers, tmp_path):
    jobs = [(str(tmp_path), number) for number in (2, *range(10, 30))]
    start = time.monotonic()
    with pytest.raises(UserError, match="two is the user's mistake"):
        run_jobs(leave_a_mark, jobs, workers, progress=False)
    assert time.monotonic() - start < 30  # jobs under way, each of 60 s, are not waited for
    assert len(list(tmp_path.iterdir())) <= 2 * workers + 1


def test_one_killer_among_many_jobs_costs_no_other_job():
    with pytest.raises(WorkerDiedError) as caught:
        run_jobs(square_or_die, [*range(20), 3], 2, progress=False)
    assert caught.value.jobs == [3, 20]
    assert [n for n, result in enumerate(caught.value.results) if result is None] == [3, 20]


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_handed_on_as_they_come(workers):
    seen = {}
    run_jobs(square, range(5), workers, progress=False, on_result=seen.__setitem__)
    assert seen == {n: n * n for n in range(5)}


def test_each_worker_has_one_numerical_thread():
    assert run_jobs(threads, range(2), 2, progress=False) == ["1", "1"]


def test_workers_must_be_positive():
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"):
        run_jobs(square, [1], 0)


_PARENT = """
import os, signal, time
from tvlab.foundation.errors import UserError
from tvlab.foundation.runner import run_jobs
def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job begins with it ignored
    run_jobs(time.sleep, [60, 60], 2, progress=False)
if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_when_their_parent_is_killed_or_interrupted(tmp_path, how):
    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    with subprocess.Popen([sys.executable, str(script)], stderr=subprocess.DEVNULL) as parent:
        workers = _workers_of(parent.pid, 2)
        parent.send_signal(how)
    _, alive = psutil.wait_procs(workers, timeout=20)
    assert not alive


def _workers_of(parent: int, count: int) -> list[psutil.Process]:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        children = psutil.Process(parent).children()
        workers = [child for child in children if "spawn_main" in " ".join(child.cmdline())]
        if len(workers) >= count:
            return workers
        time.sleep(0.1)
    raise AssertionError("the workers did not start")
