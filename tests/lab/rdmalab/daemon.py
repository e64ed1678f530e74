"""One rdmadiagd, restricted to one host's device, with its own port and config file."""

import json
import signal

from . import http
from .exposition import Metrics
from .shell import SCRATCH, CommandError, Process
from .wait import wait_until

START_SECONDS = 90
# The default second is for machines that run at their own speed.
DEADLINE = "10s"
# Their packets and queue pairs would be among those that a scenario counts.
NO_PROBES = {"ud": {"enabled": False}, "rc": {"enabled": False}}
STOP_SECONDS = 2  # promised in the design: SIGTERM to exit
# Emulation slows the program itself, not the promise; still far below any hang.
STOP_ALLOWANCE = 8


class Daemon:
    """Started by its constructor and answering when that returns. As a context manager it is stopped at
    the end, and must then exit 0."""

    def __init__(
        self,
        host,
        config: dict | None = None,
        flags: list[object] = (),
        devices: str | None = None,
        listen: str = "127.0.0.1",
        expect_devices: bool = True,
        within: list[object] = (),
    ):
        """`devices` is a regular expression; default: the host's own device only. The read's deadline is
        DEADLINE unless the configuration names another. Without `expect_devices` it is started when it
        is ready, whatever it has found. `within`: a command that runs it, as nsenter."""
        self.host = host
        self.expect_devices = expect_devices
        self.url = f"http://127.0.0.1:{host.http_port}"
        self.config_path = SCRATCH / f"{host.name}.yaml"
        self.write_config(config or {})
        self._command = [
            # With the host's own name: it is part of what probes and metrics call its NIC.
            "unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', host.name,
            *within,
            host.lab.binaries / "rdmadiagd",
            f"--config.file={self.config_path}",
            f"--web.listen-address={listen}:{host.http_port}",
            f"--device.include={devices or host.device}",
            *flags,
        ]
        self.start()

    def write_config(self, config: dict) -> None:
        config = {"probes": NO_PROBES} | config
        config |= {"collect": {"deadline": DEADLINE} | config.get("collect", {})}
        self.config_path.write_text(json.dumps(config))  # JSON is YAML

    def start(self) -> None:
        self.process = Process(f"rdmadiagd-{self.host.name}", *self._command)
        wait_until(lambda: not self.process.running() or self._has_read(), START_SECONDS)
        if not self.process.running() or not self._has_read():
            log = self.process.log()[-3000:]
            raise CommandError(f"rdmadiagd of {self.host.name} is not ready\n{log}")

    def _has_read(self) -> bool:
        """Whether it answers and has read every device it found, at least one."""
        try:
            if self.get("/-/ready").status != 200:
                return False
            if not self.expect_devices:
                return True
            metrics = self.scrape()
        except OSError:
            return False
        devices = metrics.value("rdma_devices")
        return bool(devices) and len(metrics.samples("rdmadiag_snapshot_age_seconds")) == devices

    def get(self, path: str, **options) -> http.Response:
        return http.request(self.url + path, **options)

    def scrape(self) -> Metrics:
        answer = self.get("/metrics")
        if answer.status != 200:
            raise CommandError(f"/metrics of {self.host.name}: {answer.status} {answer.text[:500]}")
        return Metrics(answer.text)

    def value(self, name: str, **labels: str) -> float | None:
        """Of a fresh scrape."""
        return self.scrape().value(name, **labels)

    def reload(self) -> None:
        self.process.signal(signal.SIGHUP)

    def stop(self) -> int:
        """Exit status after SIGTERM."""
        self.process.signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS + STOP_ALLOWANCE)

    def kill(self) -> None:
        self.process.kill()

    def __enter__(self) -> "Daemon":
        return self

    def __exit__(self, kind, *_rest) -> None:
        if self.process.running():
            status = self.stop()
            if kind is None:
                self.host.lab.equal(
                    f"rdmadiagd of {self.host.name} exits cleanly on SIGTERM", status, 0
                )
