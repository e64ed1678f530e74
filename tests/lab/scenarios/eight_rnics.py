"""An agent with eight NICs that probes each and its siblings, as it does without any configuration: what it takes."""

from rdmalab.daemon import Daemon
from rdmalab.topology import Flat
from rdmalab.wait import pause

TOPOLOGY = Flat(rxe=8)
TIMEOUT = 400
SECONDS = 60
MEGABYTES = 30  # promised in the design


def run(lab):
    probes = {"cpu_share": 1}  # emulation makes the CPU look ten times busier than it is
    with Daemon(lab.hosts[0], {"probes": probes}, devices="rxe.*") as daemon:
        lab.eventually("every NIC has answers", lambda: len(_answered(daemon)) == len(lab.hosts), 60)
        before = daemon.scrape().value("process_cpu_seconds_total")
        pause(SECONDS)
        metrics = daemon.scrape()
        used = metrics.value("process_cpu_seconds_total") - before
        lab.note("CPU of one emulated core, %", round(100 * used / SECONDS, 1))
        lab.note("threads", metrics.value("process_threads"))
        lab.note("probes by outcome", _answered(daemon))
        resident = metrics.value("process_resident_memory_bytes") / 1e6
        lab.between("resident memory, MB", round(resident, 1), 5, MEGABYTES)


def _answered(daemon) -> dict[str, float]:
    found: dict[str, float] = {}
    for labels, value in daemon.scrape().samples("rdma_probe_outcomes_total"):
        if labels["outcome"] == "ok":
            found[labels["device"]] = found.get(labels["device"], 0) + value
    return {device: count for device, count in found.items() if count > 0}
