"""netdevsim: a simulated NIC with devlink health reporters, FEC, pause and ring settings."""

import errno
import pathlib

from .shell import run, run_json

BUS = pathlib.Path("/sys/bus/netdevsim")


class NetdevSim:
    """One simulated device with one port; gone when the scenario ends."""

    def __init__(self, number: int = 1):
        run("modprobe", "netdevsim")
        (BUS / "new_device").write_text(f"{number} 1")
        self.devlink = f"netdevsim/netdevsim{number}"
        self.netdev = next((BUS / f"devices/netdevsim{number}/net").iterdir()).name
        self.debugfs = pathlib.Path(f"/sys/kernel/debug/netdevsim/netdevsim{number}")

    def reporters(self) -> dict[str, dict]:
        """Health reporters by name, with state, error and recover counts."""
        answer = run_json("devlink", "-j", "health")
        return {r["reporter"]: r for r in answer["health"][self.devlink]}

    def break_health(self, message: str) -> None:
        """An error on the `dummy` reporter, which recovers by itself unless told otherwise."""
        try:
            # Unbuffered: a buffered file would write a second time when it is closed after the error.
            with open(self.debugfs / "health/break_health", "wb", buffering=0) as file:
                file.write(message.encode())
        except OSError as error:
            if error.errno != errno.EINVAL:  # the answer of a recovery told to fail
                raise

    def fail_recovery(self, fails: bool) -> None:
        (self.debugfs / "health/fail_recover").write_text("Y" if fails else "N")

    def recover(self) -> None:
        run("devlink", "health", "recover", self.devlink, "reporter", "dummy")
