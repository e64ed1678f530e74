"""Runs batches of scenarios, each batch in one guest, and makes Results of what the guests say."""

import concurrent.futures
import os

from . import paths, report
from .catalog import Scenario
from .guest import Guest, GuestError, booted
from .report import Result

GRACE_SECONDS = 30  # beyond a scenario's own time-out, which the guest enforces itself


def plan_for(scenarios: list[Scenario], **extra) -> dict:
    return {
        "mode": "run",
        "binaries": str(paths.binaries()),
        "repo": str(paths.REPO),
        "long": os.environ.get("RDMADIAG_LAB_LONG") == "1",
        "scenarios": [{"module": f"{s.package}.{s.name}", "timeout": s.timeout} for s in scenarios],
    } | extra


def _lost(result: Result, guest: Guest, why: str) -> None:
    result.error = why
    result.logs.append({"name": "console", "text": guest.console() + guest.qemu_log()})


def _one(guest: Guest, scenario: Scenario, live: bool) -> tuple[Result, bool]:
    """The next scenario's result, and whether the guest can go on with another one."""
    result = Result(scenario.name)
    while True:
        event = guest.next_event(scenario.timeout * guest.stretch + GRACE_SECONDS)
        if event is None:
            _lost(result, guest, "the guest died or did not finish in its time")
            return result, False
        kind = event["event"]
        if live and kind in ("check", "note"):
            report.show_event(event)
        if kind == "check":
            result.checks.append(event)
        elif kind == "note":
            result.notes.append(event)
        elif kind == "log":
            result.logs.append(event)
        elif kind == "end":
            result.error = event["error"]
            result.seconds = event["seconds"]
            return result, event["clean"]


def run_batch(batch: list[Scenario], accel: str, live: bool) -> list[Result]:
    """Every scenario gets a result. A guest that is lost or left unclean is replaced for the rest.
    `live`: checks are shown as they come."""
    results: list[Result] = []
    while len(results) < len(batch):
        left = batch[len(results) :]
        try:
            with booted(left[0].kernel, accel, plan_for(left)) as guest:
                _run_guest(guest, left, results, live)
        except GuestError as error:
            results.append(Result(left[0].name, error=str(error)))
            report.show(results[-1])
    return results


def _run_guest(guest: Guest, left: list[Scenario], results: list[Result], live: bool) -> None:
    for scenario in left:
        result, usable = _one(guest, scenario, live)
        results.append(result)
        report.show(result, events=not live)
        if not usable:
            return
    guest.wait(10)


def run_all(batches: list[list[Scenario]], accel: str, jobs: int) -> list[Result]:
    if jobs == 1:
        return [r for batch in batches for r in run_batch(batch, accel, live=True)]
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        return [r for results in pool.map(lambda b: run_batch(b, accel, live=False), batches) for r in results]
    finally:
        # After Ctrl-C the batches that run now still end; those that wait do not start.
        pool.shutdown(cancel_futures=True)
