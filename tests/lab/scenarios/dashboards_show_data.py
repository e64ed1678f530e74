"""Every expression of every dashboard, asked of a real Prometheus over daemons that probe each other, returns series."""

import contextlib
import re

from rdmalab import fault, perftest
from rdmalab.daemon import Daemon
from rdmalab.dashboards import expressions, fill
from rdmalab.mesh import connected, mesh
from rdmalab.prometheus import Prometheus
from rdmalab.sample import lay
from rdmalab.shell import SCRATCH
from rdmalab.topology import Flat
from rdmalab.wait import wait_until

TOPOLOGY = Flat(rxe=5)
TIMEOUT = 1200
# Two daemons more, over trees of NICs that count what soft-RoCE does not, and of one that fails.
SAMPLES = [
    ["mlx5_roce_200g", "bnxt_re_6_18", "irdma_e810", "broken_no_pma"],
    ["mlx5_ib_ndr", "hns"],
]
# What neither has, and why. An expression of these alone may be empty.
ABSENT = {
    "rdma_nic_": "ethtool, DCB and modules come by netlink: a tree has none, and the lab's netdevs are veths",
    "rdma_(cq_overflows|completion_eq_overruns|async_eq_overruns)_total": "devlink, of mlx5 only",
}
FAULT_SECONDS = 240


def run(lab):
    # Verdicts about NICs need a leaf of four, verdicts about paths a second leaf.
    lab.hosts[4].leaf = "leaf2"
    asked = expressions(lab.repo / "dashboards")
    lab.check("there are expressions", len(asked) > 50, len(asked))
    with mesh(lab, ud={"leaf_rate": 20, "fabric_rate": 20}) as daemons, _samples(lab) as samples:
        prometheus = _prometheus(lab, [*daemons, *samples])
        lab.require("the mesh is connected", wait_until(lambda: connected(daemons), 240, poll=1))
        perftest.traffic(lab.hosts[0], lab.hosts[1], "ib_send_bw", 4096, 50)
        daemons[1].kill()  # its peers rebuild their connections
        daemons[1].start()
        # Some panels show a moment only: what has returned series once need not again.
        empty = list(asked)
        with fault.impaired(lab.hosts[2], "loss 30%", fault.BOTH):
            wait_until(lambda: not _unexplained(_ask(prometheus, empty)), FAULT_SECONDS, poll=5)
    for board in sorted({board for board, _title, _expr in asked}):
        total = sum(row[0] == board for row in asked)
        lacks = [row for row in _unexplained(empty) if row[0] == board]
        lab.equal(f"{board}: of {total} expressions none is empty without a reason", lacks, [])
    catalogue = (lab.repo / "docs/metrics.md").read_text()
    unknown = {name for row in empty for name in _metrics(row[2]) if f"| {name} |" not in catalogue}
    lab.equal("what is empty with a reason is in the catalogue", unknown, set())
    lab.note("empty with a reason", f"{len(empty)} of {len(asked)}: {sorted({row[1] for row in empty})}")
    prometheus.stop()


@contextlib.contextmanager
def _samples(lab):
    """The daemons over trees, stopped at the end."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(_sample(lab, n, cases)) for n, cases in enumerate(SAMPLES)]


def _sample(lab, number: int, cases: list[str]) -> Daemon:
    host = type(lab.hosts[0])(len(lab.hosts) + 1 + number, "sample")
    host.lab = lab
    root = SCRATCH / host.name
    lay(lab.repo / "tests/fixtures", root, *cases)
    (root / "proc").mkdir(exist_ok=True)
    flags = [f"--path.sysfs={root}/sys", f"--path.procfs={root}/proc"]
    return Daemon(host, flags=flags, devices=".*")


def _prometheus(lab, daemons) -> Prometheus:
    targets = [
        {
            "targets": [f"127.0.0.1:{d.host.http_port}"],
            "labels": {"instance": d.host.name, "cluster": "lab"},
        }
        for d in daemons
    ]
    return Prometheus(targets, "5s", sorted((lab.repo / "config/alerts").glob("*.yml")))


def _ask(prometheus, empty: list) -> list:
    """Takes out of `empty` what returns series now."""
    empty[:] = [row for row in empty if not prometheus.query(fill(row[2]))]
    return empty


def _metrics(expression: str) -> list[str]:
    return re.findall(r"\b(?:rdma|rdmadiag|process)_\w+", expression)


def _unexplained(rows: list) -> list:
    """Those with a metric that should be there."""
    return [
        row
        for row in rows
        if not all(any(re.match(what, name) for what in ABSENT) for name in _metrics(row[2]) or [""])
    ]
