"""Waiting for a condition instead of for a time."""

import time

from .pace import stretched

POLL_SECONDS = 0.1


class Not(str):
    """A reason why not: false, and shown as the detail of a check."""

    def __bool__(self) -> bool:
        return False


def wait_until(condition, timeout: float, poll: float = POLL_SECONDS):
    """The first true value of condition(), or its last false one when `timeout` seconds have gone,
    stretched to the machine's pace."""
    deadline = time.monotonic() + stretched(timeout)
    while True:
        value = condition()
        if value or time.monotonic() >= deadline:
            return value
        time.sleep(poll)


def pause(seconds: float) -> None:
    """Lets that much time pass, however slow the machine is: for what goes by the clock."""
    time.sleep(seconds)
