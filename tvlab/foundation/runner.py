"""One way to run many independent jobs: in this process, in worker processes, or on a Ray cluster.

Results come back in the order of the jobs, whatever the number of workers, so a result never depends on it.
A job that fails is named at once and the others go on; the first failure is raised when they are done. A
``UserError`` would meet every job alike and ends the run at once. Workers are started fresh (spawn), with one
numerical thread each, and end with their parent. A worker that dies (killed, out of memory) costs only the jobs
that it may have held: those run once more, each alone; a job that kills its worker again is named. Nothing is
stored here: jobs that take long keep their own results (``stored_runs``), so that a killed run goes on.
"""

import multiprocessing
import multiprocessing.connection
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any

from tvlab.foundation.errors import UserError
from tvlab.foundation.progress import progress as show_progress
from tvlab.foundation.ray_cluster import NodeDied, ray_address, run_on_ray

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_MISSING = object()


class WorkerDiedError(RuntimeError):
    """Some jobs killed their worker process twice.

    Attributes:
        jobs: indices of these jobs.
        results: the results of all jobs in order, None for the dead ones.
    """

    def __init__(self, jobs: list[int], results: list[Any]) -> None:
        named = ", ".join(map(str, jobs[:10]))
        super().__init__(
            f"the worker process died twice on job {named} of {len(results)} "
            "(killed or out of memory?): run it alone with workers=1 to see why"
        )
        self.jobs, self.results = jobs, results


@dataclass
class _Outcomes:
    """What became of each job so far."""

    jobs: list[Any]
    what: str
    advance: Callable[[int], None]
    on_result: Callable[[int, Any], None] | None
    results: list[Any] = field(init=False)
    errors: dict[int, Exception] = field(default_factory=dict)
    dead: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.results = [_MISSING] * len(self.jobs)

    @property
    def unfinished(self) -> list[int]:
        """Jobs that have neither ended nor died twice."""
        gone = {*self.errors, *self.dead}
        return [at for at, result in enumerate(self.results) if result is _MISSING and at not in gone]

    def put(self, at: int, result: Any) -> None:
        """Take the result of a job."""
        self.results[at] = result
        self.advance(len(self.jobs) - len(self.unfinished))
        if self.on_result is not None:
            self.on_result(at, result)

    def fail(self, at: int, error: Exception) -> None:
        """Note that a job failed, and say so.

        Raises:
            UserError: the job's own, at once.
        """
        error.add_note(f"in job {at} of {len(self.jobs)}: {str(self.jobs[at])[:200]}")
        if isinstance(error, UserError):
            raise error
        self.errors[at] = error
        left = len(self.unfinished)
        if left:
            text = " ".join(str(error).split())[:200]
            line = f"{self.what}: job {at} of {len(self.jobs)} failed ({type(error).__name__}: {text}); {left} go on"
            print(line, file=sys.stderr, flush=True)

    def in_order(self) -> list[Any]:
        """Return the results.

        Raises:
            Exception: the first failed job's, with notes that name the others.
            WorkerDiedError: none failed and some died twice.
        """
        if self.errors:
            first, *others = sorted(self.errors)
            if others or self.dead:
                named = ", ".join(map(str, [*others, *self.dead][:20]))
                self.errors[first].add_note(f"also failed: {len(others) + len(self.dead)} jobs ({named})")
            raise self.errors[first]
        if self.dead:
            raise WorkerDiedError(self.dead, [None if one is _MISSING else one for one in self.results])
        return self.results


def run_jobs(
    function: Callable[[Any], Any],
    jobs: Sequence[Any],
    workers: int = 1,
    progress: bool = True,
    what: str = "jobs",
    on_result: Callable[[int, Any], None] | None = None,
    ray: str | None = None,
) -> list[Any]:
    """Return ``[function(job) for job in jobs]``, computed by ``workers`` processes or a Ray cluster.

    Args:
        function: a module-level function of one picklable argument.
        jobs: the arguments.
        workers: number of processes; 1 runs everything in this process. Without effect on a cluster.
        progress: show progress on standard error.
        what: the word for the jobs in the progress display.
        on_result: called in this process with (number of the job, result) as results come in.
        ray: address of a Ray cluster; by default that of ``ray_address()``; "" for none.

    Raises:
        WorkerDiedError: after all other jobs are done, if a job killed its worker twice.
        UserError: a job's, at once; jobs under way are given up.
        Exception: the first failed job's, after all others are done, with notes that name the failed jobs.
    """
    jobs = list(jobs)
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    address = ray_address() if ray is None else ray
    with show_progress(len(jobs), what, progress) as advance:
        outcomes = _Outcomes(jobs, what, advance, on_result)
        if address and len(jobs) > 1:
            _ray_pass(function, outcomes, address)
        elif workers == 1 or len(jobs) < 2:
            _own_pass(function, outcomes)
        else:
            _pools(function, outcomes, min(workers, len(jobs)))
    return outcomes.in_order()


def _own_pass(function: Callable[[Any], Any], outcomes: _Outcomes) -> None:
    for at, job in enumerate(outcomes.jobs):
        try:
            result = function(job)
        except Exception as error:
            outcomes.fail(at, error)
        else:
            outcomes.put(at, result)


def _ray_pass(function: Callable[[Any], Any], outcomes: _Outcomes, address: str) -> None:
    for at, result in run_on_ray(function, outcomes.jobs, address):
        if isinstance(result, NodeDied):
            outcomes.dead.append(at)
        elif isinstance(result, Exception):
            outcomes.fail(at, result)
        else:
            outcomes.put(at, result)


def _pools(function: Callable[[Any], Any], outcomes: _Outcomes, workers: int) -> None:
    """Run all jobs; when a pool breaks, first those that may have broken it, each alone, then a pool again."""
    while left := outcomes.unfinished:
        _pool_pass(function, left, workers, outcomes)
        # a pool hands out jobs in order and holds one more than its workers, so the culprit is among the first
        for at in outcomes.unfinished[: 2 * workers + 1]:
            _pool_pass(function, [at], 1, outcomes)
            if at in outcomes.unfinished:
                outcomes.dead.append(at)


def _pool_pass(function: Callable[[Any], Any], which: list[int], workers: int, outcomes: _Outcomes) -> None:
    """Run the jobs ``which``; those of a broken pool stay unfinished. An interruption ends the workers at once."""
    context = multiprocessing.get_context("spawn")
    told, tell = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker, initargs=(told,))
    try:
        with told:
            futures = {pool.submit(function, outcomes.jobs[at]): at for at in which}
            _collect(futures, outcomes)
    except BaseException:
        tell.close()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        tell.close()


def _collect(futures: dict[Future, int], outcomes: _Outcomes) -> None:
    for future in as_completed(futures):
        at = futures[future]
        try:
            result = future.result()
        except BrokenProcessPool:
            continue
        except Exception as error:
            outcomes.fail(at, error)
        else:
            outcomes.put(at, result)


def _start_worker(told: multiprocessing.connection.Connection) -> None:
    """Keep a worker to one numerical thread (the processes are the parallelism) and to its parent's life."""
    for name in _THREADS:
        os.environ[name] = "1"
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    threading.Thread(target=_end_with_parent, args=(told,), daemon=True).start()


def _end_with_parent(told: multiprocessing.connection.Connection) -> None:
    """End when the parent closes its end of the pipe, or is killed with -9 and says nothing."""
    multiprocessing.connection.wait([told])
    os._exit(1)
