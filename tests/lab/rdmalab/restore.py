"""Puts the guest back to how it booted, whatever the last scenario did or left undone."""

import json
import os
import pathlib
import re
import signal
import time

from .shell import CommandError, run, run_json
from .wait import wait_until

TROUBLE = re.compile(
    r"BUG:|Oops|general protection|WARNING: CPU|blocked for more than|refcount_t|Call Trace"
)


class KernelLog:
    """Follows /dev/kmsg from one scenario to the next."""

    _fd = -1

    @classmethod
    def skip(cls) -> None:
        cls._fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(cls._fd, 0, os.SEEK_END)

    @classmethod
    def trouble(cls) -> list[str]:
        lines = []
        while True:
            try:
                lines.append(
                    os.read(cls._fd, 8192)
                    .decode(errors="replace")
                    .split(";", 1)[-1]
                    .splitlines()[0]
                )
            except BlockingIOError:
                return [line for line in lines if TROUBLE.search(line)]
            except BrokenPipeError:
                continue  # messages were overwritten before they were read


def _others() -> list[int]:
    """Processes that are neither the kernel's nor this one's ancestors."""
    keep = set()
    pid = os.getpid()
    while pid > 0:
        keep.add(pid)
        pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) not in keep:
            try:
                os.readlink(entry / "exe")  # kernel threads and zombies have none
                found.append(int(entry.name))
            except OSError:
                pass
    return found


def _kill_all() -> None:
    for pid in _others():
        try:
            os.kill(pid, signal.SIGCONT)
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                return
        except ChildProcessError:
            return


def _remove_devices() -> None:
    names = [device["ifname"] for device in run_json("rdma", "-j", "dev")]
    run("rdma", "-b", "-", stdin="".join(f"link delete {name}\n" for name in names), timeout=20)
    for bus in pathlib.Path("/sys/bus/netdevsim/devices").glob("netdevsim*"):
        pathlib.Path("/sys/bus/netdevsim/del_device").write_text(bus.name.removeprefix("netdevsim"))
    gone: set[str] = {"lo", "eth0"}
    lines = []
    for link in json.loads(run("ip", "-j", "link")):
        if link["ifname"] not in gone:
            lines.append(f"link delete {link['ifname']}\n")
            gone |= {link["ifname"], link.get("link", "")}  # the other end of a veth goes with it
    run("ip", "-batch", "-", stdin="".join(lines))


def _restore_rules() -> None:
    present = {rule["priority"] for rule in run_json("ip", "-j", "rule")}
    if 0 not in present:
        run("ip", "rule", "add", "pref", 0, "lookup", "local")
    for priority in present - {0, 32766, 32767}:
        run("ip", "rule", "delete", "pref", priority)


def trouble() -> list[str]:
    """What the kernel complained about since it was last asked."""
    return [f"kernel: {line}" for line in KernelLog.trouble()]


def restore() -> list[str]:
    """What could not be put right; a guest with any of it is not used again."""
    wait_until(lambda: _kill_all() or not _others(), 5)
    problems = [f"process {pid}" for pid in _others()]
    try:
        _remove_devices()
        _restore_rules()
        if not wait_until(lambda: not run_json("rdma", "-j", "dev"), 5):
            problems.append("RDMA devices")
    except CommandError as error:
        problems.append(str(error))
    return problems + trouble()
