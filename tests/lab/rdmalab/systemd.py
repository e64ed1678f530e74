"""systemd as the first process of a container in the guest, so that a package meets what it meets on a host.

It shares the guest's network, devices and files; only the processes and mounts are its own.
"""

import os
import pathlib

from .shell import CommandError, Process, run
from .wait import wait_until

BOOT_SECONDS = 240
# What a container does not need, or what takes long under emulation.
MASKED = (
    "systemd-udevd.service systemd-udev-trigger.service systemd-udev-settle.service "
    "systemd-udevd-control.socket systemd-udevd-kernel.socket systemd-modules-load.service "
    "systemd-binfmt.service systemd-sysctl.service systemd-random-seed.service systemd-hwdb-update.service "
    "systemd-journal-flush.service systemd-pstore.service kmod-static-nodes.service "
    "e2scrub_reap.service apparmor.service getty.target console-getty.service "
    "systemd-logind.service dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount "
    "sys-kernel-tracing.mount sys-fs-fuse-connections.mount sys-kernel-config.mount "
    "systemd-remount-fs.service systemd-tmpfiles-setup-dev.service networking.service ldconfig.service"
).split()


class Systemd:
    """Booted to basic.target by its constructor; services of the host's own packages do not start."""

    def __init__(self):
        if not os.path.ismount("/sys/fs/cgroup"):
            run("mount", "-t", "cgroup2", "cgroup2", "/sys/fs/cgroup")
        units = pathlib.Path("/run/systemd/system")
        units.mkdir(parents=True, exist_ok=True)
        for name in MASKED:
            (units / name).symlink_to("/dev/null")
        self._process = Process(
            "systemd",
            *"unshare --mount --propagation private --pid --fork --ipc --cgroup --mount-proc".split(),
            "/lib/systemd/systemd", "--system", "--unit=basic.target", "--log-target=console",
            env={"container": "lab"},
        )
        if not wait_until(self._booted, BOOT_SECONDS, poll=1):
            raise CommandError(f"systemd is not up\n{self._process.log()[-4000:]}")

    def _init(self) -> str:
        pid = self._process.pid
        return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]

    def _booted(self) -> bool:
        try:
            return self.run("systemctl", "is-active", "basic.target", check=False).strip() == "active"
        except (IndexError, CommandError):
            return False

    def run(self, *argv: object, **options) -> str:
        """Runs a command in the container; standard output."""
        enter = ["nsenter", "-t", self._init(), "--mount", "--pid", "--ipc", "--cgroup", "--root", "--"]
        return run(*enter, *argv, **{"timeout": 300} | options)

    def show(self, unit: str, name: str) -> str:
        """A property of a unit."""
        return self.run("systemctl", "show", "--value", "-p", name, unit).strip()
