"""Runs notebooks headlessly, or the cells of a grid of one, and keeps records, a manifest and an index.

Names of notebooks and parameters are checked before anything runs (papermill itself only warns). The standard
notebooks run one after the other, since they share work files and use all cores themselves; the cells of a grid
have their own folders and run beside each other, here or on a Ray cluster. A notebook that fails is reported and
the others go on. What is done with the same parameters and code is not run again.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from tvlab.foundation.errors import UserError
from tvlab.foundation.profiles import PROFILES, get_profile
from tvlab.foundation.runner import run_jobs
from tvlab.reporting.grid import cells_of
from tvlab.reporting.limits import LIMITS, Limits
from tvlab.reporting.manifest import begin_manifest, finish_manifest
from tvlab.reporting.notebook_jobs import NotebookJob, run_notebook
from tvlab.reporting.notebooks import Notebook, check_parameters, find_notebooks, select_notebooks
from tvlab.reporting.run_index import write_index
from tvlab.reporting.run_records import DONE, NOT_RUN, RunRecord, RunRecords, run_key

_UNKNOWN_SECONDS = 60.0
_MOST_WORKERS = 8


class Display(Protocol):
    """What a run shows while it goes on; see ``run_display``."""

    def begin(self, name: str, at: int, of: int, seconds_left: float) -> None:
        """A notebook begins: the at-th of ``of``; ``seconds_left`` is for it and those after it."""

    def cell(self, name: str, number: int, of: int) -> None:
        """A cell begins."""

    def end(self, record: RunRecord) -> None:
        """A notebook has ended, was reused, or is not run."""


def reproduce(
    profile: str,
    display: Display,
    *,
    seed: int = 0,
    only: Sequence[str] = (),
    parameters: Mapping[str, str] | None = None,
    grid: Mapping[str, Sequence[str]] | None = None,
    parallel: int = 0,
    limits: Limits | None = None,
    fresh: bool = False,
    folder: Path | None = None,
) -> list[RunRecord]:
    """Run the notebooks of ``folder`` and return one record for each, those not run included.

    Args:
        profile: handed to each notebook as its parameter ``profile``.
        display: told what runs.
        seed: handed to each notebook that has a parameter ``seed``.
        only: names or leading numbers; empty for all.
        parameters: {name: value as text}, each for the notebooks that declare the name.
        grid: {name: values as text}: run each notebook of ``only`` once a combination, see ``grid``.
        parallel: cells of a grid at once; 0 for one a core.
        limits: on memory and time of one notebook; by default those of the profile.
        fresh: run again what is done.
        folder: by default ``notebooks/`` of the project.

    Raises:
        UserError: unknown profile, notebook or parameter, or a grid without ``only``, before anything ran.
    """
    if not get_profile(profile).local:
        local = ", ".join(name for name, scale in PROFILES.items() if scale.local)
        raise UserError(f"profile {profile} needs GPUs, which no notebook here uses: choose from {local}")
    if grid and not only:
        raise UserError("--grid without --only would run every notebook many times: name one with --only")
    both = sorted(set(grid or {}) & set(parameters or {}))
    if both:
        raise UserError(f"{both[0]} is given by --param and by --grid: give it once")
    found = find_notebooks(folder)
    notebooks = select_notebooks(found, only)
    at_once = _at_once(parallel) if grid else 1
    given = check_parameters(notebooks, parameters or {})
    values = {n.name: {**_standard_values(n, profile, seed, at_once), **given[n.name]} for n in notebooks}
    jobs = _jobs(notebooks, values, profile, limits or LIMITS[profile], grid)
    records = RunRecords(profile)
    todo = {job.name for job in jobs if fresh or not records.reusable(job.name, job.key, job.folder)}
    begin_manifest(profile, todo)
    run = _run_beside if grid else _run_in_turn
    results = run(jobs, todo, records, display, at_once)
    finish_manifest(profile, [*records.all(), *results])
    write_index()
    return sorted(results, key=lambda record: record.name)


def _at_once(parallel: int) -> int:
    return parallel or os.cpu_count() or 1


def _standard_values(notebook: Notebook, profile: str, seed: int, at_once: int) -> dict[str, Any]:
    workers = max(min((os.cpu_count() or 1) // at_once, _MOST_WORKERS), 1)
    standard = {"profile": profile, "seed": seed, "workers": workers}
    return {name: value for name, value in standard.items() if name in notebook.parameters}


def _jobs(
    notebooks: Sequence[Notebook],
    values: Mapping[str, Mapping[str, Any]],
    profile: str,
    limits: Limits,
    grid: Mapping[str, Sequence[str]] | None,
) -> list[NotebookJob]:
    if not grid:
        return [
            NotebookJob(n.name, n, values[n.name], run_key(n, values[n.name]), profile, limits) for n in notebooks
        ]
    jobs = []
    for cell in cells_of(notebooks, grid):
        all_values = {**values[cell.notebook.name], **cell.values}
        key = run_key(cell.notebook, all_values)
        places = (cell.results(profile), cell.work(profile))
        jobs.append(NotebookJob(cell.name, cell.notebook, all_values, key, profile, limits, *places))
    return jobs


def _run_in_turn(
    jobs: Sequence[NotebookJob], todo: set[str], records: RunRecords, display: Display, at_once: int
) -> list[RunRecord]:
    results: dict[str, RunRecord] = {}
    for at, job in enumerate(jobs):
        left = sum(_expected(one, records) for one in jobs[at:] if one.name in todo)
        display.begin(job.name, at + 1, len(jobs), left)
        lost = [name for name in job.notebook.needs if name in results and results[name].status != DONE]
        if job.name not in todo:
            record = replace(records.known(job.name), reused=True)
        elif lost:
            record = RunRecord(job.name, NOT_RUN, reason=f"needs {', '.join(lost)}, which did not succeed")
            records.put(record)
        else:
            records.put(job.begun())
            record = run_notebook(job, partial(display.cell, job.name))
            records.put(record)
        results[job.name] = record
        display.end(record)
    return list(results.values())


def _run_beside(
    jobs: Sequence[NotebookJob], todo: set[str], records: RunRecords, display: Display, at_once: int
) -> list[RunRecord]:
    """Run the cells of a grid beside each other; what is done is shown first."""
    results: dict[str, RunRecord] = {}
    waiting = {job.name: _expected(job, records) for job in jobs if job.name in todo}

    def begin() -> None:
        if len(results) < len(jobs):
            left = sum(waiting.values()) / min(at_once, max(len(waiting), 1))
            display.begin(f"{at_once} at once", len(results) + 1, len(jobs), left)

    def take(record: RunRecord) -> None:
        results[record.name] = record
        waiting.pop(record.name, None)
        display.end(record)
        begin()

    begin()
    for job in jobs:
        if job.name not in todo:
            take(replace(records.known(job.name), reused=True))
    chosen = [job for job in jobs if job.name in todo]
    for job in chosen:
        records.put(job.begun())

    def keep(at: int, record: RunRecord) -> None:
        records.put(record)
        take(record)

    run_jobs(run_notebook, chosen, at_once, progress=False, what="notebooks", on_result=keep)
    return [results[job.name] for job in jobs]


def _expected(job: NotebookJob, records: RunRecords) -> float:
    """Return the seconds that a notebook took last time, else those that it states for the profile."""
    record = records.get(job.name)
    if record is not None and record.seconds and record.status == DONE:
        return record.seconds
    minutes = job.notebook.minutes
    return 60.0 * minutes[job.profile] if job.profile in minutes else _UNKNOWN_SECONDS
