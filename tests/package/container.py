"""A small Debian with systemd as its first process, in a folder that is thrown away: systemd-nspawn over a root made once."""

import contextlib
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

SUITE = "bookworm"
BASE = ["systemd", "systemd-sysv", "curl", "adduser"]
BOOT_SECONDS = 180


def base_root(cache: pathlib.Path, packages: list[str]) -> pathlib.Path:
    """A tar of Debian's smallest system with these packages; made when there is none of that list yet."""
    wanted = sorted({*BASE, *packages})
    key = hashlib.sha256(" ".join([SUITE, *wanted]).encode()).hexdigest()[:12]
    tar = cache / f"{SUITE}-{key}.tar"
    if not tar.exists():
        cache.mkdir(parents=True, exist_ok=True)
        unfinished = tar.with_suffix(".part.tar")
        subprocess.run(
            [
                "mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(wanted)}",
                "--aptopt=Apt::Install-Recommends false", SUITE, unfinished,
            ],
            check=True,
        )
        unfinished.rename(tar)
    return tar


class Container:
    """Booted; `run` executes a command in it as root. Without any network but its own loopback."""

    def __init__(self, root: pathlib.Path, leader: int):
        self.root = root
        self._enter = ["nsenter", f"--target={leader}", "--all", "--"]

    def run(self, *command: object, check: bool = True) -> subprocess.CompletedProcess:
        """With stdin empty: whatever asks a question fails."""
        done = subprocess.run(
            [*self._enter, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
             *map(str, command)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}")
        return done

    def says(self, *command: object) -> str:
        return self.run(*command, check=False).stdout.strip()

    def until(self, ready, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end:
                return False
            time.sleep(0.2)
        return True


def _leader(nspawn: subprocess.Popen) -> int | None:
    """The container's first process, once it is systemd."""
    children = pathlib.Path(f"/proc/{nspawn.pid}/task/{nspawn.pid}/children").read_text().split()
    for child in children:
        with contextlib.suppress(OSError):
            if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                return int(child)
    return None


@contextlib.contextmanager
def booted(tar: pathlib.Path):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rdmadiag-root-"))
    root = folder / "root"
    root.mkdir()
    subprocess.run(["tar", "-C", root, "-xpf", tar, "--numeric-owner"], check=True)
    # Which an installer writes, not a package.
    (root / "etc/hosts").write_text("127.0.0.1 localhost\n")
    console = open(folder / "console", "w+b")
    nspawn = subprocess.Popen(
        [
            "systemd-nspawn", "--quiet", "--directory", root, "--register=no", "--keep-unit",
            "--private-network", "--link-journal=no", "--console=pipe", "--boot",
        ],
        stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True,
    )
    try:
        yield _wait_for_boot(root, nspawn, console)
    finally:
        if nspawn.poll() is None:
            nspawn.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                nspawn.wait(30)
        if nspawn.poll() is None:
            nspawn.kill()
            nspawn.wait()
        console.close()
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for_boot(root: pathlib.Path, nspawn: subprocess.Popen, console) -> Container:
    end = time.monotonic() + BOOT_SECONDS
    said = ""
    while time.monotonic() < end and nspawn.poll() is None:
        if leader := _leader(nspawn):
            container = Container(root, leader)
            said = container.says("systemctl", "is-system-running")
            if said in ("running", "degraded"):
                return container
        time.sleep(0.3)
    console.seek(0)
    raise RuntimeError(f"systemd did not come up ({said})\n{console.read().decode(errors='replace')[-4000:]}")


def usable() -> str:
    """Empty when this machine can run containers, else why not."""
    if os.geteuid() != 0:
        return "needs root"
    missing = [tool for tool in ("systemd-nspawn", "mmdebstrap", "nsenter") if not shutil.which(tool)]
    return f"not installed: {', '.join(missing)}" if missing else ""
