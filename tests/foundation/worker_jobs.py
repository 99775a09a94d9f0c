"""Jobs that the tests send to worker processes and clusters; a module of its own, so that workers can import it."""

import os
import signal
import time

from tvlab.foundation.errors import UserError


def square(number: int) -> int:
    return number * number


def square_or_die(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def fail_on_two(number: int) -> int:
    if number == 2:
        raise ValueError("two is not wanted")
    return number


def leave_a_mark(job: tuple[str, int]) -> None:
    folder, number = job
    with open(os.path.join(folder, f"began-{number}"), "w"):
        pass
    if number == 1:
        raise ValueError("one is not wanted")
    if number == 2:
        raise UserError("two is the user's mistake")
    if number >= 10:
        time.sleep(60)


def process_of(seconds: float) -> int:
    """The process that ran the job, after some time in it."""
    time.sleep(seconds)
    return os.getpid()
