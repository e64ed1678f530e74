"""The expressions of the Grafana dashboards, with Grafana's variables filled in. Pure; also for tests on the host."""

import json
import pathlib
import re

# As "All" fills them in, and a scrape interval's worth of rate.
VARIABLES = {"__rate_interval": "1m", "__range": "1h", "__interval": "15s"}
ALL = ".*"


def fill(expression: str, **values: str) -> str:
    """Variables that are not given select all."""

    def value(match):
        name = match[1] or match[2]
        return values.get(name) or VARIABLES.get(name, ALL)

    return re.sub(r"\$(?:\{(\w+)(?::\w+)?\}|(\w+))", value, expression)


def expressions(folder: pathlib.Path) -> list[tuple[str, str, str]]:
    """Dashboard, panel and expression, as they stand there."""
    found = []
    for path in sorted(folder.glob("rdmadiag-*.json")):
        for panel in json.loads(path.read_text())["panels"]:
            for target in panel.get("targets", []):
                found.append((path.stem, panel["title"], target["expr"]))
    return found
