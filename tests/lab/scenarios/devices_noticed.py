"""Devices that come, are renamed, go, or lose their interface to another namespace are noticed at once: nobody asks for a rescan."""

from rdmalab import rdma, shell
from rdmalab.daemon import Daemon
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2)
TIMEOUT = 240

# Far longer than the scenario: what is noticed here was notified, or seen in the kernel's own list.
CONFIG = {"collect": {"rescan_interval": "1h"}}
NOTICED_WITHIN = 20
NETDEV, FAR_END, DEVICE, NAMESPACE = "plug", "plug_far", "rxe_plug", "elsewhere"


def _names(daemon):
    metrics = daemon.scrape()
    return {
        labels["device"]
        for labels, value in metrics.samples("rdma_device_present")
        if value == 1
    }


def _plug():
    shell.run("rdma", "link", "add", DEVICE, "type", "rxe", "netdev", NETDEV)


def run(lab):
    host, other = lab.hosts
    shell.run("ip", "link", "add", NETDEV, "up", "type", "veth", "peer", "name", FAR_END)
    shell.run("ip", "link", "set", FAR_END, "up")
    old = {host.device, other.device}
    with Daemon(host, CONFIG, devices=".*") as daemon:
        lab.equal("those that are there", _names(daemon), old)

        _plug()
        _noticed(lab, "a device that comes", daemon, old | {DEVICE})
        lab.eventually(
            "its changes are counted from now on",
            lambda: daemon.value("rdma_port_state_changes_total", device=DEVICE) == 0,
            NOTICED_WITHIN,
        )
        lab.eventually(
            "the log says so without a scrape",
            lambda: "device appeared" in daemon.process.log(),
            NOTICED_WITHIN,
        )

        shell.run("rdma", "dev", "set", DEVICE, "name", "rxe_renamed")
        _noticed(lab, "its new name", daemon, old | {"rxe_renamed"})
        shell.run("rdma", "link", "delete", "rxe_renamed")
        _noticed(lab, "that it goes", daemon, old)

        _plug()
        _noticed(lab, "that it is back", daemon, old | {DEVICE})
        shell.run("ip", "netns", "add", NAMESPACE)
        shell.run("ip", "link", "set", NETDEV, "netns", NAMESPACE)
        lab.equal("without its interface it is gone", set(rdma.devices()), old)
        _noticed(lab, "and seen to be", daemon, old)
        lab.equal("healthy", daemon.get("/-/healthy").status, 200)
    shell.run("ip", "netns", "delete", NAMESPACE)


def _noticed(lab, what, daemon, want):
    lab.eventually(f"{what} is noticed", lambda: _names(daemon) == want, NOTICED_WITHIN)
    lab.equal(f"{what}: the kernel says the same", set(rdma.devices()), want)
