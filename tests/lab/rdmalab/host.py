"""One host of a fabric: its interface, its address, its RDMA device, its agent."""

import pathlib

from .shell import run
from .wait import wait_until

ACTIVE = "4: ACTIVE"


class Host:
    def __init__(self, index: int, kind: str):
        self.index = index
        self.kind = kind  # rxe or siw
        self.name = f"host{index}"
        self.netdev = f"h{index}"
        self.switch_port = f"s{index}"
        self.device = f"{kind}{index}"
        self.address = f"10.77.0.{index}"
        self.table = 100 + index
        self.http_port = 10914 + index
        self.leaf = "leaf1"
        self.lab = None  # set when the scenario starts

    def __repr__(self) -> str:
        return self.name

    def add_address(self) -> None:
        """The address, and its route: the kernel forgets a device's routes with its last address."""
        run("ip", "addr", "add", f"{self.address}/32", "dev", self.netdev)
        run("ip", "route", "replace", "10.77.0.0/24", "dev", self.netdev, "table", self.table)

    def remove_address(self) -> None:
        run("ip", "addr", "delete", f"{self.address}/32", "dev", self.netdev)

    def add_device(self) -> None:
        run("rdma", "link", "add", self.device, "type", self.kind, "netdev", self.netdev)

    def remove_device(self) -> None:
        """Blocks until nobody has the device open, as the kernel does."""
        run("rdma", "link", "delete", self.device)

    def sysfs(self, path: str) -> pathlib.Path:
        return pathlib.Path(f"/sys/class/infiniband/{self.device}") / path

    def state(self) -> str:
        try:
            return self.sysfs("ports/1/state").read_text().strip()
        except OSError:
            return ""

    def await_active(self, timeout: float = 20) -> None:
        if not wait_until(lambda: self.state() == ACTIVE, timeout):
            raise TimeoutError(f"{self.device} is {self.state()!r}, not {ACTIVE!r}")
