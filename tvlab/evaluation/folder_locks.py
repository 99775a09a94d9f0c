"""Keeping two programs from writing into one folder at the same time.

The lock is taken on the folder itself, so that no file is left behind, and goes with the process, also after kill -9.
Folders on one machine only: it is not promised that a network drive carries locks.
"""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tvlab.foundation.errors import UserError


@contextmanager
def locked(folder: str | Path, wait: bool = True, doing: str = "writes into") -> Iterator[None]:
    """Hold the lock of a folder, which is made if it is missing; not to be taken twice by one program.

    Args:
        folder: what is locked.
        wait: wait for another program, and say so on standard error; False: complain.
        doing: what the other program does with the folder, for the message.

    Raises:
        UserError: the folder cannot be made, or another program holds it and ``wait`` is False.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise UserError(f"folder {folder} cannot be used ({error.strerror}): give another") from None
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not wait:
                raise UserError(f"another program {doing} {folder}: wait for it to end, or give another") from None
            print(f"waiting for another program that {doing} {folder}", file=sys.stderr, flush=True)
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)
