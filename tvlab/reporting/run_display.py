"""What one sees of notebook runs: a live line on a terminal, plain lines elsewhere, and the summary."""

import threading
import time
from collections.abc import Sequence
from typing import TextIO

import pandas as pd
from rich.console import Console
from rich.status import Status
from rich.table import Table

from tvlab.foundation.places import executed_folder, figures_folder, home, tables_folder
from tvlab.reporting.figures import figure_index
from tvlab.reporting.grid import grids_folder
from tvlab.reporting.notebooks import Notebook
from tvlab.reporting.run_records import DONE, FAILED, NOT_RUN, RunRecord, failed_notebook

_SECONDS_BETWEEN_LINES = 20.0


class RunDisplay:
    """Shows which notebook and cell runs and the time left; a long cell is shown again now and then."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console()
        self._live: Status | None = Status("", console=self.console) if self.console.is_terminal else None
        self._every = 1.0 if self._live else _SECONDS_BETWEEN_LINES
        self._started = self._left = 0.0
        self._place = self._position = self._cell = ""
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def begin(self, name: str, at: int, of: int, seconds_left: float) -> None:
        """Say that a notebook begins."""
        self._started, self._left = time.monotonic(), seconds_left
        self._position = f"[{at}/{of}]"
        self._place, self._cell = f"{self._position} {name}", ""
        self._ended = threading.Event()
        threading.Thread(target=self._repeat, args=(self._ended,), daemon=True).start()

    def cell(self, name: str, number: int, of: int) -> None:
        """Say that a cell begins."""
        self._cell = f"cell {number}/{of}"
        self._show()

    def end(self, record: RunRecord) -> None:
        """Say how a notebook ended."""
        with self._lock:
            self._ended.set()
            if self._live is not None:
                self._live.stop()
        style = {DONE: "green", FAILED: "red"}.get(record.status, "yellow")
        self._print(f"{self._position} {record.name}: {describe(record)}", style)

    def _repeat(self, ended: threading.Event) -> None:
        while not ended.wait(self._every):
            self._show()

    def _show(self) -> None:
        with self._lock:
            if self._ended.is_set():
                return
            gone = time.monotonic() - self._started
            left = f"about {duration(self._left - gone)} left" if gone < self._left else "longer than expected"
            line = f"{self._place}: {self._cell or 'running'}, {gone:.0f} s, {left}"
            if self._live is None:
                self._print(line)
            else:
                self._live.update(line)
                self._live.start()

    def _print(self, line: str, style: str | None = None) -> None:
        self.console.print(line, style=style, highlight=False, markup=False, soft_wrap=True)


def describe(record: RunRecord) -> str:
    """Return the outcome of a record in one line."""
    if record.status == FAILED:
        return f"failed in `{record.cell}`: {record.error}"
    if record.status == NOT_RUN:
        return f"not run: {record.reason}"
    if record.reused:
        return f"done earlier, same code and parameters ({duration(record.seconds)}); --fresh runs it again"
    return f"{record.status} in {duration(record.seconds)}"


def duration(seconds: float) -> str:
    """Return a time in words: ``40 s``, ``3 min 20 s``, ``2 h 5 min``.

    >>> duration(39.6), duration(200), duration(7500)
    ('40 s', '3 min 20 s', '2 h 5 min')
    """
    total = round(seconds)
    if total < 60:
        return f"{total} s"
    if total < 3600:
        return f"{total // 60} min {total % 60} s"
    return f"{total // 3600} h {total % 3600 // 60} min"


def plan_table(notebooks: Sequence[Notebook], profile: str) -> Table:
    """Return a table of the minutes that each notebook states for the profile, on two cores."""
    table = Table("notebook", "minutes", title=f"Notebooks, profile {profile}", title_justify="left")
    for notebook in notebooks:
        table.add_row(notebook.name, f"{notebook.minutes.get(profile, float('nan')):g}")
    table.add_row("together", f"{sum(n.minutes.get(profile, 0.0) for n in notebooks):g}")
    return table


def print_summary(records: Sequence[RunRecord], profile: str, console: Console) -> None:
    """Print how each notebook ended, and where tables and figures lie."""
    columns = ("notebook", "status", "time", "note")
    table = Table(*columns, title=f"Notebooks, profile {profile}", title_justify="left")
    for record in records:
        took = duration(record.seconds) if record.seconds else ""
        table.add_row(record.name, record.status, took, _note(record, profile))
    console.print(table)
    if any("/" in record.name for record in records):
        console.print(f"Cells in {grids_folder(profile).relative_to(home())}/NOTEBOOK/CELL/", highlight=False)
    else:
        _print_files(profile, console)
    done = sum(record.status == DONE for record in records)
    failed = sum(record.status == FAILED for record in records)
    left = len(records) - done - failed
    console.print(f"Notebooks: {done} done, {failed} failed, {left} not run.", highlight=False)


def _note(record: RunRecord, profile: str) -> str:
    if record.status == FAILED:
        kept = failed_notebook(profile, record.name)
        see = f"; see {kept.relative_to(home())}" if kept.is_file() else ""
        return f"`{record.cell}`: {record.error}{see}"
    if record.status == NOT_RUN:
        return record.reason
    return "result of an earlier run" if record.reused else ""


def _print_files(profile: str, console: Console) -> None:
    tables = sorted(path.stem for path in tables_folder(profile).glob("*.csv"))
    figures = sorted(figure_index(profile))
    for what, names, folder in (
        ("Tables", tables, tables_folder(profile)),
        ("Figures", figures, figures_folder(profile)),
        ("Executed notebooks", [], executed_folder(profile)),
    ):
        where = folder.relative_to(home())
        listed = f" ({len(names)}): {', '.join(names)}" if names else ""
        console.print(f"{what} in {where}/{listed}", highlight=False, markup=False, soft_wrap=True)


def frame_table(frame: pd.DataFrame, title: str, digits: int = 3) -> Table:
    """Return a data frame as a table for the console, numbers with fixed decimals on the right."""
    table = Table(title=title, title_justify="left")
    for name in frame.columns:
        table.add_column(str(name), justify="right" if pd.api.types.is_float_dtype(frame[name]) else "left")
    for row in frame.itertuples(index=False):
        table.add_row(*(f"{value:.{digits}f}" if isinstance(value, float) else str(value) for value in row))
    return table


def console_for(stream: TextIO) -> Console:
    """Return a console on ``stream``, wide enough for tables when it is not a terminal."""
    return Console(file=stream, width=None if stream.isatty() else 120)
