"""A real Prometheus beside the daemons."""

import json
import urllib.parse

from . import http
from .shell import SCRATCH, CommandError, Process
from .wait import wait_until

PORT = 9090
START_SECONDS = 90


class Prometheus:
    """Scrapes `targets` ("127.0.0.1:10915", or with labels: {"targets": […], "labels": {…}}) every
    `interval`, evaluates `rule_files` and sends alerts to `alertmanagers` ("127.0.0.1:9093")."""

    def __init__(
        self,
        targets: list[str | dict],
        interval: str = "1s",
        rule_files: list[object] = (),
        alertmanagers: list[str] = (),
        external_labels: dict[str, str] | None = None,
    ):
        self.url = f"http://127.0.0.1:{PORT}"
        config = {
            "global": {
                "scrape_interval": interval,
                "evaluation_interval": interval,
                "external_labels": external_labels or {},
            },
            "rule_files": [str(f) for f in rule_files],
            "alerting": {"alertmanagers": [{"static_configs": [{"targets": list(alertmanagers)}]}]},
            "scrape_configs": [
                {
                    "job_name": "rdmadiag",
                    "static_configs": [
                        t if isinstance(t, dict) else {"targets": [t]} for t in targets
                    ],
                }
            ],
        }
        path = SCRATCH / "prometheus.yml"
        path.write_text(json.dumps(config))
        self.process = Process(
            "prometheus",
            "prometheus",
            f"--config.file={path}",
            f"--storage.tsdb.path={SCRATCH}/prometheus",
            f"--web.listen-address=127.0.0.1:{PORT}",
            "--log.level=warn",
        )
        if (
            not wait_until(lambda: not self.process.running() or self._ready(), START_SECONDS)
            or not self.process.running()
        ):
            raise CommandError(f"prometheus is not ready\n{self.process.log()[-3000:]}")

    def _ready(self) -> bool:
        try:
            return http.request(f"{self.url}/-/ready", timeout=5).status == 200
        except OSError:
            return False

    def _api(self, path: str, **arguments: str) -> dict:
        answer = http.request(
            f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(arguments)}", timeout=30
        ).json()
        if answer["status"] != "success":
            raise CommandError(f"prometheus {path} {arguments}: {answer}")
        return answer["data"]

    def query(self, expression: str) -> list[tuple[dict[str, str], float]]:
        """An instant vector: labels and value of each series."""
        return [
            (row["metric"], float(row["value"][1]))
            for row in self._api("query", query=expression)["result"]
        ]

    def value(self, expression: str) -> float | None:
        """The value of the only series, if there is exactly one."""
        rows = self.query(expression)
        return rows[0][1] if len(rows) == 1 else None

    def targets(self) -> list[dict]:
        return self._api("targets")["activeTargets"]

    def stop(self) -> None:
        self.process.kill()
