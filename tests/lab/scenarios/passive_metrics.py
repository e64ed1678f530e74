"""What the daemon exports of a soft-RoCE device is what the system's own tools and files say of it."""

from rdmalab import perftest, rdma, shell
from rdmalab.daemon import Daemon
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=2)
QUICK = True

# Written by hand from the driver's counters, apart from the daemon's own catalogue.
METRIC_OF = {
    "sent_pkts": "rdma_tx_packets_total",
    "rcvd_pkts": "rdma_rx_packets_total",
    "duplicate_request": "rdma_duplicate_requests_received_total",
    "out_of_seq_request": "rdma_out_of_sequence_received_total",
    "rcvd_rnr_err": "rdma_rnr_nak_received_total",
    "send_rnr_err": "rdma_rnr_nak_sent_total",
    "rcvd_seq_err": "rdma_seq_nak_received_total",
    "ack_deferred": "rdma_rxe_ack_deferred_total",
    "retry_exceeded_err": "rdma_retry_exceeded_total",
    "retry_rnr_exceeded_err": "rdma_rnr_retry_exceeded_total",
    "completer_retry_err": "rdma_retransmit_events_total",
    "send_err": "rdma_tx_errors_total",
    "link_downed": "rdma_link_downed_total",
    "rdma_sends": "rdma_tx_requests_total",
    "rdma_recvs": "rdma_rx_requests_total",
}
GBIT = 1e9 / 8


def run(lab):
    host, peer = lab.hosts
    perftest.traffic(host, peer, "ib_send_bw", 4096, 100)
    with Daemon(host) as daemon:
        metrics = daemon.scrape()
        _counters(lab, host, metrics)
        _device(lab, host, metrics)
        _port(lab, host, metrics)
        lab.equal("only the device asked for is read", metrics.devices(), {host.device})
        lab.equal("number of devices", metrics.value("rdma_devices"), 1)
        judged = shell.run("promtool", "check", "metrics", stdin=metrics.text, check=False)
        lab.equal("promtool has nothing to say", judged, "")
        lab.equal("healthy", daemon.get("/-/healthy").status, 200)


def _counters(lab, host, metrics):
    said = rdma.statistic(host)
    lab.equal("netlink and sysfs agree", rdma.hw_counters(host), said)
    lab.equal("every counter of the driver is known here", set(said), set(METRIC_OF))
    lab.check("some of them have moved", said["sent_pkts"] > 0 and said["rcvd_pkts"] > 0, said)
    for name, metric in METRIC_OF.items():
        got = metrics.value(metric, device=host.device, port="1")
        lab.equal(f"{name} is {metric}", got, float(said[name]))


def _device(lab, host, metrics):
    devinfo = rdma.devinfo(host)
    info = metrics.labels("rdma_device_info", device=host.device)
    lab.equal("node GUID", info.get("node_guid"), devinfo["node_guid"])
    lab.equal("firmware", info.get("firmware"), host.sysfs("fw_ver").read_text().strip())
    lab.equal("kind", (info.get("protocol"), info.get("driver")), ("roce", "rxe"))
    lab.equal("it is present", metrics.value("rdma_device_present", device=host.device), 1)
    for name, count in rdma.resources(host).items():
        got = metrics.value("rdma_device_resources", device=host.device, object=name)
        lab.equal(f"resources: {name}", got, count)


def _port(lab, host, metrics):
    devinfo = rdma.devinfo(host)
    on_port = {"device": host.device, "port": "1"}
    info = metrics.labels("rdma_port_info", **on_port)
    lab.equal("link layer", info.get("link_layer", "").lower(), devinfo["link_layer"].lower())
    lab.equal("interface", info.get("netdev"), rdma.link(host)["netdev"])
    lab.equal(
        "state", f"({metrics.value('rdma_port_state', **on_port):.0f})", devinfo["state"].split()[1]
    )
    lab.equal("physical state", metrics.value("rdma_port_physical_state", **on_port), 5)
    lab.equal("up", metrics.value("rdma_port_up", **on_port), 1)
    lanes = metrics.value("rdma_port_width_lanes", **on_port)
    lab.equal("width", lanes, float(devinfo["active_width"].split("X")[0]))
    rate = host.sysfs("ports/1/rate").read_text().split()[0]
    lab.equal(
        "rate", metrics.value("rdma_port_rate_bytes_per_second", **on_port), float(rate) * GBIT
    )
    lab.equal(
        "GIDs", metrics.value("rdma_port_gids", type="roce_v2", **on_port), len(rdma.gids(host))
    )
