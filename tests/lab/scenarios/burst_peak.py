"""A burst of traffic between two scrapes shows as a peak, the same to every scraper, and what sampling costs is told."""

import time

from rdmalab import perftest
from rdmalab.daemon import Daemon
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=3)
TIMEOUT = 240

PEAK = "rdma_port_burst_peak_bytes_per_second"
CONFIG = {"collect": {"burst": {"enabled": True, "rate": 50, "window": "60s"}}}
IDLE_SECONDS = 6


def run(lab):
    sender, receiver, bystander = lab.hosts
    with Daemon(sender, CONFIG, devices=".*") as daemon:
        lab.eventually(
            "it samples every port",
            lambda: len(daemon.scrape().samples(PEAK, direction="rx")) == len(lab.hosts),
            30,
        )
        before = daemon.scrape()
        started = time.monotonic()
        perftest.traffic(sender, receiver, "ib_send_bw", 65536, 200)
        time.sleep(IDLE_SECONDS)  # what came before is an average by now
        elapsed = time.monotonic() - started
        after = daemon.scrape()
        again = daemon.scrape()

        sent = after.value(PEAK, device=sender.device, direction="tx")
        quiet = after.value(PEAK, device=bystander.device, direction="tx")
        volume = 65536 * 200
        lab.note("peak of the sender, MB/s", round(sent / 1e6, 2))
        lab.note("peak of the bystander, MB/s", round(quiet / 1e6, 2))
        lab.note("average over the scrapes, MB/s", round(volume / elapsed / 1e6, 2))
        lab.check("the peak is above the average", sent > 1.5 * volume / elapsed, sent)
        lab.check(
            "received at the other end",
            after.value(PEAK, device=receiver.device, direction="rx") > 1.5 * volume / elapsed,
        )
        lab.check("the bystander had none", quiet < sent / 20, quiet)
        lab.equal(
            "a second scraper sees the same peak",
            again.value(PEAK, device=sender.device, direction="tx"),
            sent,
        )
        lab.equal(
            "no pauses are made up", after.samples("rdma_port_burst_longest_pause_seconds"), []
        )
        for host in lab.hosts:
            device = {"device": host.device}
            lab.check(
                f"{host.device}: samples go on",
                after.value("rdmadiag_burst_samples_total", **device)
                > before.value("rdmadiag_burst_samples_total", **device),
            )
            spent = after.value("rdmadiag_burst_cpu_seconds_total", **device) - before.value(
                "rdmadiag_burst_cpu_seconds_total", **device
            )
            lab.note(f"{host.device}: CPU of sampling", f"{spent / elapsed:.2%}")
            lab.check(f"{host.device}: CPU is bounded", spent <= 0.03 * elapsed, spent)
            lab.check(
                f"{host.device}: what was left out is told",
                after.value("rdmadiag_burst_dropped_samples_total", **device) is not None,
            )

        daemon.write_config({})
        daemon.reload()
        lab.eventually("it can be turned off", lambda: not daemon.scrape().samples(PEAK), 20)
