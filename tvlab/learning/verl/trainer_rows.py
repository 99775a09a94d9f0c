"""The rows that verl's file logger writes, one JSON line a step, kept where a run is started again.

The logger empties its file when a run begins, also one that goes on from a checkpoint. So the rows are laid aside, and
put together with the new ones afterwards, step by step: of a step that was made twice the later numbers hold.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tvlab.foundation.atomic_files import write_jsonl


@contextmanager
def kept_rows(file: Path) -> Iterator[None]:
    """Keep the rows of earlier runs while the block writes new ones; what a killed block left, the next one keeps."""
    aside = file.with_name(f"{file.stem}-earlier{file.suffix}")
    if file.is_file() or aside.is_file():
        write_jsonl(aside, _together(aside, file))
    try:
        yield
    finally:
        if aside.is_file():
            write_jsonl(file, _together(aside, file))
            os.remove(aside)


def _together(*files: Path) -> list[dict[str, Any]]:
    steps: dict[int, dict[str, Any]] = {}
    for file in files:
        for row in read_rows(file):
            steps.setdefault(row["step"], {}).update(row["data"])
    return [{"step": step, "data": data} for step, data in sorted(steps.items())]


def read_rows(file: Path) -> list[dict[str, Any]]:
    """Whole rows of a file, {"step", "data"}; a line that was cut is left out, a file that is not there has none."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [json.loads(line) for line in lines if line.endswith("}}")]
