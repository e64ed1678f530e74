"""Boots the fabric of rdmalab.serve and keeps it until Ctrl-C. Called by scripts/run."""

import signal
import sys

from . import accel, paths
from .guest import Guest, booted

KERNEL = "6.1"
HOSTS = 4
FIRST_PORT = 10915
START_SECONDS = 180


def main(lossy: int | None = None) -> int:
    """With `lossy`, packets towards the host of that number are lost now and then."""
    ports = tuple(range(FIRST_PORT, FIRST_PORT + HOSTS))
    plan = {
        "mode": "serve",
        "hosts": HOSTS,
        "config": {},
        "lossy": lossy,
        "binaries": str(paths.binaries()),
        "repo": str(paths.REPO),
    }
    with booted(KERNEL, accel.choose(KERNEL), plan, forward=ports) as guest:
        try:
            return _watch(guest)
        except KeyboardInterrupt:
            print("\nstopping", flush=True)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            return _stop(guest)


def _watch(guest: Guest) -> int:
    while (event := guest.next_event(START_SECONDS * guest.stretch)) is not None:
        if event["event"] == "up":
            print(
                f"{event['host']} ({event['device']}): http://localhost:{event['port']}/"
                f"   metrics: http://localhost:{event['port']}/metrics",
                flush=True,
            )
        elif event["event"] == "failed":
            print(event["error"], file=sys.stderr)
            return 1
        elif event["event"] == "ready":
            print("ready; Ctrl-C ends it", flush=True)
            guest.next_event(None)
    print("the guest ended:\n" + guest.console() + guest.qemu_log(), file=sys.stderr)
    return 1


def _stop(guest: Guest) -> int:
    guest.send({"stop": True})
    clean = True
    while (event := guest.next_event(30 * guest.stretch)) is not None:
        clean &= event["event"] != "stopped" or event["status"] == 0
    return 0 if guest.wait(15 * guest.stretch) and clean else 1
