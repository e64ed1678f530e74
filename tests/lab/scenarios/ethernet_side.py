"""The Ethernet side of a simulated NIC: FEC, pause and health as its own tools say; of a veth nothing is invented."""

import pathlib

from rdmalab import shell
from rdmalab.daemon import Daemon
from rdmalab.netdevsim import NetdevSim
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=1, siw=1)
TIMEOUT = 240
DEVICE = "rxe_sim"
HEALTH = {"device": DEVICE, "reporter": "dummy"}
# What only a driver or a module can say. A veth has neither.
INVENTED = ("rdma_nic_fec_", "rdma_nic_pfc_", "rdma_nic_module_", "rdma_nic_link_extended_state")


def run(lab):
    host, iwarp = lab.hosts
    nic = NetdevSim()
    shell.run("ip", "link", "set", nic.netdev, "up")
    shell.run("rdma", "link", "add", DEVICE, "type", "rxe", "netdev", nic.netdev)
    with Daemon(host, devices=".*") as daemon:
        _pause(lab, daemon, nic)
        _fec(lab, daemon, nic)
        _link(lab, daemon, nic)
        _health(lab, daemon, nic)
        _nothing_invented(lab, daemon, host, iwarp)


def _pause(lab, daemon, nic):
    enabled = "rdma_nic_pause_enabled"
    for rx, tx in ((True, False), (False, True)):
        words = {True: "on", False: "off"}
        shell.run("ethtool", "-A", nic.netdev, "autoneg", "off", "rx", words[rx], "tx", words[tx])
        lab.eventually(
            f"pause rx {words[rx]}, tx {words[tx]}",
            lambda rx=rx, tx=tx: [
                daemon.value(enabled, netdev=nic.netdev, direction=d) for d in ("rx", "tx")
            ]
            == [rx, tx],
            15,
        )
    frames = {"rx": "rdma_nic_pause_rx_frames_total", "tx": "rdma_nic_pause_tx_frames_total"}
    lab.equal(
        "pause frames are not counted",
        [daemon.scrape().samples(name, netdev=nic.netdev) for name in frames.values()],
        [[], []],
    )
    for direction in frames:
        (nic.debugfs / f"ports/0/ethtool/pause/report_stats_{direction}").write_text("Y")
    said = shell.run_json("ethtool", "--json", "--include-statistics", "-a", nic.netdev)[0]
    for direction, name in frames.items():
        lab.eventually(
            f"{direction} pause frames as ethtool says",
            lambda direction=direction, name=name: daemon.value(name, netdev=nic.netdev)
            == said["statistics"][f"{direction}_pause_frames"],
            15,
        )


def _fec(lab, daemon, nic):
    for mode, label in (("rs", "RS"), ("baser", "BaseR"), ("off", "off")):
        shell.run("ethtool", "--set-fec", nic.netdev, "encoding", mode)
        lab.note(f"ethtool's view of {mode}", shell.run("ethtool", "--show-fec", nic.netdev))
        lab.eventually(
            f"FEC {label}",
            lambda label=label: daemon.scrape()
            .labels("rdma_nic_fec_info", netdev=nic.netdev)
            .get("mode")
            == label,
            15,
        )


def _link(lab, daemon, nic):
    """netdevsim tells of no reason for a link that is down: none may be shown."""
    reason = "rdma_nic_link_extended_state"
    lab.equal("up", daemon.value("rdma_nic_up", netdev=nic.netdev), 1)
    shell.run("ip", "link", "set", nic.netdev, "down")
    lab.eventually(
        "its port is seen to be down", lambda: daemon.value("rdma_port_up", device=DEVICE) == 0, 15
    )
    lab.equal("no reason is made up", daemon.scrape().samples(reason, netdev=nic.netdev), [])
    shell.run("ip", "link", "set", nic.netdev, "up")
    lab.eventually("and up", lambda: daemon.value("rdma_port_up", device=DEVICE) == 1, 15)


def _health(lab, daemon, nic):
    def shown():
        metrics = daemon.scrape()
        return tuple(
            metrics.value(f"rdma_device_health_{name}", **HEALTH)
            for name in ("state", "errors_total", "recoveries_total")
        )

    # The reporters of a host are listed every half minute.
    lab.eventually("healthy at first", lambda: shown() == (0, 0, 0), 60)
    nic.break_health("first")
    lab.eventually("an error it recovers from", lambda: shown() == (0, 1, 1), 15)
    nic.fail_recovery(True)
    nic.break_health("second")
    lab.eventually("an error that stays", lambda: shown() == (1, 2, 1), 15)
    lab.eventually(
        "the diagnosis says so",
        lambda: bool(
            daemon.scrape().samples("rdmadiag_finding", rule="device-unhealthy", device=DEVICE)
        ),
        15,
    )
    nic.fail_recovery(False)
    nic.recover()
    lab.eventually("recovery by hand", lambda: shown()[0] == 0, 15)
    dummy = nic.reporters()["dummy"]
    lab.equal("counts as devlink has them", shown(), (0, dummy["error"], dummy["recover"]))
    log = daemon.process.log()
    for words in ("health reporter is in error", "health reporter has recovered"):
        lab.check(f"logged: {words}", words in log)


def _nothing_invented(lab, daemon, host, iwarp):
    metrics = daemon.scrape()
    for of in (host, iwarp):
        made_up = {
            name
            for name in metrics.names()
            if name.startswith(INVENTED) and metrics.samples(name, netdev=of.netdev)
        }
        lab.equal(f"{of.netdev} (veth): nothing invented", made_up, set())
        lab.equal(f"{of.netdev}: it is read", metrics.value("rdma_nic_up", netdev=of.netdev), 1)
    lab.equal(
        "no interface of a virtual machine pretends to be lossless",
        metrics.samples("rdma_nic_pfc_enabled"),
        [],
    )
    _virtio(lab, daemon, host)


def _virtio(lab, daemon, host):
    """A virtio NIC, where the guest has one: statistics are read, nothing is invented."""
    nets = [
        path.parent.name
        for path in pathlib.Path("/sys/class/net").glob("*/device")
        if (path / "driver").resolve().name == "virtio_net"
    ]
    if not nets:
        lab.note("virtio", "this guest has no virtio NIC")
        return
    shell.run("ip", "link", "set", nets[0], "up")
    shell.run("rdma", "link", "add", "rxe_virtio", "type", "rxe", "netdev", nets[0])
    lab.eventually(
        "the virtio NIC is read",
        lambda: daemon.value("rdma_nic_up", netdev=nets[0], device="rxe_virtio") == 1,
        30,
    )
    metrics = daemon.scrape()
    made_up = {
        name
        for name in metrics.names()
        if name.startswith(INVENTED) and metrics.samples(name, netdev=nets[0])
    }
    lab.equal(f"{nets[0]} (virtio): nothing invented", made_up, set())
