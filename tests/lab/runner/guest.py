"""One qemu guest: booted with a job, watched through its virtio-serial port, gone at the end.

The port carries JSON lines both ways; the console is only kept to be shown when something went wrong.
"""

import contextlib
import ctypes
import json
import pathlib
import select
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from . import paths

MEMORY_MB = 1500
# On a busy machine the kernel's check of the emulated timer can fail, and the boot with it.
KERNEL_ARGUMENTS = "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check"
BOOT_SECONDS = 180
BOOT_ATTEMPTS = 2


def _die_with_parent() -> None:
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


class GuestError(Exception):
    pass


class Guest:
    """Use as a context manager. `forward` lists TCP ports reachable on 127.0.0.1 as in the guest."""

    def __init__(
        self, kernel: str, accel: str, plan: dict, forward: tuple[int, ...] = (), console=None
    ):
        self._kernel = paths.kernel(kernel)
        self._accel = accel
        self._plan = plan
        self._forward = forward
        self._interactive = console == "stdio"
        self._buffer = b""
        self.stretch = 1.0  # of time-outs; told by the guest when it is up, see rdmalab/pace.py

    def __enter__(self) -> "Guest":
        self.job = pathlib.Path(tempfile.mkdtemp(prefix="rdmalab-"))
        self._write_job()
        subprocess.run([paths.LAB / "guest" / "build_initramfs", self._kernel], check=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.job / "results.sock"))
        listener.listen(1)
        log = open(self.job / "qemu.log", "wb")
        self._process = subprocess.Popen(
            self._command(),
            stdin=None if self._interactive else subprocess.DEVNULL,
            stdout=None if self._interactive else log,
            stderr=log,
            preexec_fn=_die_with_parent,
            start_new_session=not self._interactive,  # Ctrl-C is the runner's to handle
        )
        log.close()
        with listener:
            self._accept(listener)
        return self

    def _accept(self, listener: socket.socket) -> None:
        listener.settimeout(0.1)
        deadline = time.monotonic() + 10
        while self._process.poll() is None and time.monotonic() < deadline:
            try:
                self._port, _ = listener.accept()
                return
            except TimeoutError:
                continue
        error = f"qemu did not start: {self.qemu_log()}"
        self.__exit__()
        raise GuestError(error)

    def __exit__(self, *_exception) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if hasattr(self, "_port"):
            self._port.close()
        shutil.rmtree(self.job, ignore_errors=True)

    def _write_job(self) -> None:
        (self.job / "plan.json").write_text(json.dumps(self._plan))
        modules = shlex.quote(str(self._kernel / "lib" / "modules"))
        package = shlex.quote(str(paths.LAB))
        (self.job / "start").write_text(
            "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root\n"
            "mkdir -p /lib/modules\n"
            f"mount --bind {modules} /lib/modules\n"
            f"cd {package} && /usr/bin/python3 -B -m rdmalab.agent {self.job}/plan.json\n"
        )

    def _command(self) -> list[str]:
        console = "stdio" if self._interactive else f"file,path={self.job}/console.log"
        command = [
            "qemu-system-x86_64",
            "-name",
            "rdmadiag-lab",
            "-nodefaults",
            "-display",
            "none",
            "-no-reboot",
        ]
        command += ["-accel", self._accel, "-cpu", "max", "-smp", "2", "-m", str(MEMORY_MB)]
        command += [
            "-kernel",
            f"{self._kernel}/vmlinux",
            "-initrd",
            f"{self._kernel}/initramfs.cpio",
        ]
        command += ["-append", f"{KERNEL_ARGUMENTS} lab.job={self.job}"]
        command += [
            "-chardev",
            f"{console},id=console" + (",signal=off" if self._interactive else ""),
        ]
        command += ["-serial", "chardev:console"]
        share = "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"
        command += ["-virtfs", share]
        command += [
            "-device",
            "virtio-serial-pci",
            "-chardev",
            f"socket,id=lab,path={self.job}/results.sock",
        ]
        command += ["-device", "virtserialport,chardev=lab,name=lab"]
        if self._forward:
            rules = "".join(f",hostfwd=tcp:127.0.0.1:{port}-:{port}" for port in self._forward)
            command += [
                "-netdev",
                f"user,id=net,restrict=on{rules}",
                "-device",
                "virtio-net-pci,netdev=net,romfile=",
            ]
        return command

    def next_event(self, timeout: float | None) -> dict | None:
        """The guest's next message; None when it ended or said nothing complete in `timeout` seconds."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while b"\n" not in self._buffer:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self._port], [], [], left)[0]:
                return None
            chunk = self._port.recv(65536)
            if not chunk:
                return None
            self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\n", 1)
        return json.loads(line)

    def send(self, message: dict) -> None:
        self._port.sendall(json.dumps(message).encode() + b"\n")

    def wait(self, timeout: float) -> bool:
        """Whether the guest has powered itself off within `timeout` seconds."""
        try:
            return self._process.wait(timeout) == 0
        except subprocess.TimeoutExpired:
            return False

    def console(self) -> str:
        path = self.job / "console.log"
        return path.read_text(errors="replace")[-6000:] if path.exists() else ""

    def qemu_log(self) -> str:
        return (self.job / "qemu.log").read_text(errors="replace")[-2000:]


@contextlib.contextmanager
def booted(kernel: str, accel: str, plan: dict, **options):
    """A guest that said it is up. What is tested is not the boot: a second attempt is fair."""
    why = ""
    for _ in range(BOOT_ATTEMPTS):
        with Guest(kernel, accel, plan, **options) as guest:
            if (event := guest.next_event(BOOT_SECONDS)) is not None:
                guest.stretch = event.get("stretch", 1.0)
                yield guest
                return
            why = guest.console() + guest.qemu_log()
    raise GuestError(f"the guest did not boot\n{why}")
