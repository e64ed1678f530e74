#!/usr/bin/python3 -B
"""The committed dashboards: built from their source, valid, of known metrics, and every expression is PromQL.

run.py REPOSITORY SCRATCH_FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys

repo, scratch = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
sys.path.insert(0, str(repo / "tests/lab"))
from rdmalab.dashboards import expressions, fill  # noqa: E402


def parses(expr: str) -> bool:
    """Whether promtool takes the expressions as those of rules."""
    rules = [{"record": "panel", "expr": fill(expr)}]
    path = scratch / "rule.yml"
    path.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    return subprocess.run(["promtool", "check", "rules", path], capture_output=True).returncode == 0


def all_parse(asked) -> str:
    """What promtool says of all of them at once."""
    rules = [
        {"record": "panel", "expr": fill(expr), "labels": {"panel": f"{board} {title} {number}"}}
        for number, (board, title, expr) in enumerate(asked)
    ]
    path = scratch / "panels.yml"
    path.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    done = subprocess.run(
        ["promtool", "check", "rules", path], capture_output=True, text=True
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def built_and_known() -> str:
    """What dashboards/check.mjs says; the known metrics are those of docs/metrics.md."""
    names = re.findall(r"^\| `?((?:rdma|rdmadiag|process)_\w+)`? \|", (repo / "docs/metrics.md").read_text(), re.M)
    (scratch / "metrics").write_text("\n".join(names) + "\n")
    done = subprocess.run(
        ["npm", "run", "--silent", "check", "--", scratch / "metrics", repo / "docs/runbooks"],
        cwd=repo / "dashboards", capture_output=True, text=True,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main() -> int:
    scratch.mkdir(parents=True, exist_ok=True)
    asked = expressions(repo / "dashboards")
    faults = [text for text in (all_parse(asked), built_and_known()) if text]
    if len(asked) < 50:
        faults.append(f"only {len(asked)} expressions found")
    if parses("sum(rdma_devices") or not parses('rdma_devices{instance=~"$instance"}'):
        faults.append("the check of expressions cannot tell right from wrong")
    print("\n".join(faults) or f"{len(asked)} expressions")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
