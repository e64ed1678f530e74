"""Fabrics of software RDMA hosts in one guest.

Host i is the veth end h<i> with an address of its own and one RDMA device on it; its other end s<i> is a
port of a bridge, the switch. The guest has one network namespace (rxe of Linux 6.1 knows no other), so
policy rules make packets between two of its own addresses leave through the veths instead of `lo`:
Linux's `local` rule moves behind ours, and each address has a table with the fabric's route through its
own device.
"""

import pathlib

from .host import Host
from .shell import run

NETWORK = "10.77.0.0/24"
LOCAL_RULE = 32000


def _sysctl(netdev: str, **values: int) -> None:
    for name, value in values.items():
        pathlib.Path(f"/proc/sys/net/ipv4/conf/{netdev}/{name}").write_text(str(value))


class Bare:
    """No RDMA device at all."""

    hosts: list[Host] = []

    def up(self) -> None:
        pass

    def __str__(self) -> str:
        return "bare"


class Flat:
    """One switch; soft-RoCE hosts first, then iWARP (siw) ones."""

    switches = ["switch"]

    def __init__(self, rxe: int = 0, siw: int = 0):
        kinds = ["rxe"] * rxe + ["siw"] * siw
        self.hosts = [Host(i, kind) for i, kind in enumerate(kinds, start=1)]

    def __str__(self) -> str:
        rxe = sum(h.kind == "rxe" for h in self.hosts)
        return f"flat: {rxe} rxe, {len(self.hosts) - rxe} siw"

    def switch_of(self, _host: Host) -> str:
        return "switch"

    def up(self) -> None:
        kinds = {h.kind for h in self.hosts}
        run(
            "modprobe",
            "-a",
            "veth",
            "bridge",
            "sch_netem",
            "ib_uverbs",
            "rdma_ucm",
            "ib_umad",
            *(["rdma_rxe", "crc32_generic"] if "rxe" in kinds else []),
            *(["siw", "crc32c_generic"] if "siw" in kinds else []),
        )
        # Without ARP: a bridge would answer for every address of the guest, and draw the packets of the
        # hosts to itself.
        bridges = [
            f"link add {s} arp off up type bridge forward_delay 0 mcast_snooping 0"
            for s in self.switches
        ]
        # One call of each tool: starting a program is what costs under emulation.
        run(
            "ip",
            "-batch",
            "-",
            stdin="\n".join(
                bridges
                + self._uplinks()
                + [line for host in self.hosts for line in self._links(host)]
                + [f"rule add pref {LOCAL_RULE} lookup local", "rule delete pref 0", ""]
            ),
        )
        for host in self.hosts:
            _sysctl(host.netdev, accept_local=1, rp_filter=0, arp_ignore=1, arp_announce=2)
        run(
            "rdma",
            "-b",
            "-",
            stdin="".join(
                f"link add {h.device} type {h.kind} netdev {h.netdev}\n" for h in self.hosts
            ),
        )
        for host in self.hosts:
            host.await_active()

    def _links(self, host: Host) -> list[str]:
        return [
            f"link add {host.netdev} type veth peer name {host.switch_port}",
            f"link set {host.switch_port} master {self.switch_of(host)} up",
            f"link set {host.netdev} up",
            f"rule add pref {1000 + host.index} iif lo from {host.address} to {host.address} lookup local",
            f"rule add pref {2000 + host.index} iif lo from {host.address} to {NETWORK} lookup {host.table}",
            f"addr add {host.address}/32 dev {host.netdev}",
            f"route add {NETWORK} dev {host.netdev} table {host.table}",
        ]

    def _uplinks(self) -> list[str]:
        return []


class LeafSpine(Flat):
    """Two tiers: `leaves` switches of `per_leaf` soft-RoCE hosts each, joined by one spine. A leaf's
    uplink is the veth up<l> (the leaf's end, towards the spine) and down<l> (the spine's, towards it).
    """

    def __init__(self, leaves: int, per_leaf: int):
        super().__init__(rxe=leaves * per_leaf)
        self.leaves = leaves
        self.per_leaf = per_leaf
        self.switches = ["spine"] + [f"leaf{n}" for n in range(1, leaves + 1)]
        for host in self.hosts:
            host.leaf = self.switch_of(host)

    def __str__(self) -> str:
        return f"two tiers: {self.leaves} leaves of {self.per_leaf} rxe"

    def switch_of(self, host: Host) -> str:
        return f"leaf{(host.index - 1) // self.per_leaf + 1}"

    def _uplinks(self) -> list[str]:
        lines = []
        for n in range(1, self.leaves + 1):
            lines += [
                f"link add up{n} type veth peer name down{n}",
                f"link set up{n} master leaf{n} up",
                f"link set down{n} master spine up",
            ]
        return lines
