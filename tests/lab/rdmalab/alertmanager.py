"""A real Alertmanager, and the receiver its web hooks reach."""

import http.server
import json
import threading

from . import http as client
from .shell import SCRATCH, CommandError, Process
from .wait import wait_until

PORT = 9093
RECEIVER_PORT = 8080  # as in packaging/alertmanager/alertmanager.yml
START_SECONDS = 90


class Receiver:
    """Keeps every alert it is sent: (path, status, labels, annotations), in order of arrival."""

    def __init__(self, port: int = RECEIVER_PORT):
        self.alerts: list[tuple[str, str, dict, dict]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802, the library's name
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                for alert in body["alerts"]:
                    outer.alerts.append(
                        (self.path, alert["status"], alert["labels"], alert["annotations"])
                    )
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_arguments):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def seen(self, status: str) -> list[tuple[str, dict, dict]]:
        """Path, labels and annotations of the alerts of this status, "firing" or "resolved"."""
        return [(path, labels, notes) for path, is_, labels, notes in self.alerts if is_ == status]


class Alertmanager:
    """Runs with `config_file` as it stands."""

    def __init__(self, config_file):
        self.url = f"http://127.0.0.1:{PORT}"
        self.process = Process(
            "alertmanager",
            "prometheus-alertmanager",
            f"--config.file={config_file}",
            f"--storage.path={SCRATCH}/alertmanager",
            f"--web.listen-address=127.0.0.1:{PORT}",
            "--cluster.listen-address=",
        )
        if not wait_until(self._ready, START_SECONDS):
            raise CommandError(f"alertmanager is not ready\n{self.process.log()[-3000:]}")

    def _ready(self) -> bool:
        try:
            return client.request(f"{self.url}/-/ready", timeout=5).status == 200
        except OSError:
            return False
