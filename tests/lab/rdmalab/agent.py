"""Runs the job in the guest: each scenario in a process of its own, and the guest put back in between.

Events go to the host as JSON lines: boot, then for each scenario check, note and log, closed by end.
"""

import faulthandler
import importlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import traceback

from . import pace, restore, serve
from .lab import Lab, Stop
from .port import Port
from .shell import SCRATCH

ERROR = SCRATCH / ".error"


def _scenario_process(module_name: str, plan: dict, port: Port) -> None:
    """Never returns. What the scenario prints goes to its log; what stops it, to the ERROR file."""
    log = open(SCRATCH / "scenario.log", "wb", buffering=0)
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    faulthandler.register(signal.SIGUSR1, file=log)  # where it hangs, asked when its time is over
    lab = None
    try:
        module = importlib.import_module(module_name)
        module.TOPOLOGY.up()
        lab = Lab(
            module.TOPOLOGY, port.send, pathlib.Path(plan["binaries"]), pathlib.Path(plan["repo"])
        )
        lab.long = plan.get("long", False)
        if plan.get("shell") != "instead":
            module.run(lab)
    except Stop as stop:
        ERROR.write_text(f"stopped: {stop}")
    except Exception:
        ERROR.write_text(traceback.format_exc())
    finally:
        if lab and (lab.failed or ERROR.exists()):
            for path in sorted(SCRATCH.glob("*.log")):
                lab.attach(path)
        os._exit(0)


def _wait(pid: int, timeout: float) -> bool:
    deadline = time.monotonic() + timeout
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _run(scenario: dict, plan: dict, port: Port, last: bool) -> bool:
    """Whether the guest is fit for another scenario."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir()
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _scenario_process(scenario["module"], plan, port)
    error = ""
    timeout = pace.stretched(scenario["timeout"])
    if not _wait(pid, timeout):
        os.kill(pid, signal.SIGUSR1)
        _wait(pid, 1)
        log = (SCRATCH / "scenario.log").read_text(errors="replace")[-4000:]
        error = f"not done after {timeout:.0f} s\n{log}"
    elif ERROR.exists():
        error = ERROR.read_text()
    if plan.get("shell"):
        subprocess.run(
            ["/usr/bin/setsid", "--ctty", "/bin/bash", "-i"],
            stdin=open("/dev/ttyS0"),
            stdout=open("/dev/ttyS0", "w"),
            stderr=2,
        )
    problems = restore.trouble() if last else restore.restore()
    if problems:
        error += "\nleft behind: " + "; ".join(problems)
    port.send(
        {
            "event": "end",
            "error": error.strip(),
            "seconds": time.monotonic() - started,
            "clean": not problems,
        }
    )
    return not problems


def main() -> None:
    plan = json.loads(pathlib.Path(sys.argv[1]).read_text())
    port = Port("lab")
    port.send({"event": "boot", "kernel": os.uname().release, "stretch": pace.measure()})
    if plan["mode"] == "serve":
        serve.serve(plan, port)
    restore.KernelLog.skip()
    scenarios = plan.get("scenarios", [])
    for scenario in scenarios:
        if not _run(scenario, plan, port, last=scenario is scenarios[-1]):
            break


main()
