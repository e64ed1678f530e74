"""Running the system's tools: short ones to their end, long ones as a Process with a log."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess

from .pace import stretched

SCRATCH = pathlib.Path("/run/lab")  # logs and files of the running scenario; empty at its start


class CommandError(Exception):
    pass


def run(*argv: object, timeout: float = 60, check: bool = True, stdin: str | None = None) -> str:
    """Standard output of the command; CommandError with everything it said when it fails."""
    command = [str(a) for a in argv]
    timeout = stretched(timeout)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, input=stdin, errors="replace"
        )
    except subprocess.TimeoutExpired as late:
        raise CommandError(
            f"{' '.join(command)}: not done after {timeout} s: {late.stdout!r} {late.stderr!r}"
        ) from None
    if check and done.returncode != 0:
        raise CommandError(
            f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def run_json(*argv: object, **options) -> object:
    text = run(*argv, **options)
    return json.loads(text) if text.strip() else []


@contextlib.contextmanager
def on_cpu(number: int):
    """What is started within the block runs on that CPU only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {number})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Process:
    """A program that runs beside the scenario; its output goes to SCRATCH/<name>.log."""

    def __init__(self, name: str, *argv: object, env: dict[str, str] | None = None, preexec=None):
        self.name = name
        self.log_path = SCRATCH / f"{name}.log"
        with open(self.log_path, "ab") as log:
            self._popen = subprocess.Popen(
                [str(a) for a in argv],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | (env or {}),
                preexec_fn=preexec,
            )
        self.pid = self._popen.pid

    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def running(self) -> bool:
        return self._popen.poll() is None

    def wait(self, timeout: float) -> int:
        """The exit status, negative for a signal; CommandError when it is still running."""
        try:
            return self._popen.wait(stretched(timeout))
        except subprocess.TimeoutExpired:
            raise CommandError(
                f"{self.name}: still running after {timeout} s\n{self.log()[-2000:]}"
            ) from None

    def signal(self, number: int) -> None:
        self._popen.send_signal(number)

    def kill(self) -> None:
        """kill -9, as a crash would be."""
        self._popen.kill()
        self._popen.wait()

    @contextlib.contextmanager
    def frozen(self):
        """SIGSTOP for the time of the block: a host that stalls."""
        self.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)
