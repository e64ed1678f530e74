"""10 % loss on one link: retransmits rise on the sender's device, gaps on the receiver's, neither elsewhere."""

from rdmalab import fault, perftest
from rdmalab.daemon import Daemon
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=4)
QUICK = True
TIMEOUT = 180


def _rise(before, after, host, name):
    values = [m.value(name, device=host.device, port="1") for m in (before[host], after[host])]
    return None if None in values else values[1] - values[0]


def run(lab):
    sender, receiver, other, another = lab.hosts
    daemons = {host: Daemon(host) for host in lab.hosts}
    before = {host: daemon.scrape() for host, daemon in daemons.items()}
    with fault.impaired(receiver, "loss 10%", fault.IN):
        # Half a second before a lost message is sent again: eight stalls of perftest's own 67 ms, which a busy machine
        # makes as well as a bad link, would end it.
        perftest.traffic(sender, receiver, "ib_send_bw", 4096, 100, "-u", 17)
        perftest.traffic(other, another, "ib_send_bw", 4096, 100)
    # The two daemons' last reads are older than the shared read may be: these are new ones.
    after = {host: daemon.scrape() for host, daemon in daemons.items()}

    resent = _rise(before, after, sender, "rdma_retransmit_events_total")
    lab.check("the sender retransmits", resent and resent >= 5, resent)
    naks = _rise(before, after, sender, "rdma_seq_nak_received_total")
    lab.check("told so by sequence NAKs", naks and naks > 0, naks)
    gaps = _rise(before, after, receiver, "rdma_out_of_sequence_received_total")
    lab.check("the receiver sees gaps", gaps and gaps >= 5, gaps)
    lab.equal(
        "the receiver resends nothing",
        _rise(before, after, receiver, "rdma_retransmit_events_total"),
        0,
    )
    for host in (other, another):
        lab.equal(
            f"no gap on {host}",
            _rise(before, after, host, "rdma_out_of_sequence_received_total"),
            0,
        )
        lab.equal(f"no NAK on {host}", _rise(before, after, host, "rdma_seq_nak_received_total"), 0)
    for host, daemon in daemons.items():
        lab.equal(f"daemon of {host} exits cleanly", daemon.stop(), 0)
