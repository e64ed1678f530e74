"""Writes the sysfs and procfs of a host with N one-port mlx5 devices: what the kernel shows, plain files.

Each port has the 21 counters of the basic and extended sets and 29 hw_counters. An ethernet port has a netdev
with its statistics; PCI functions have links, AER counts and two temperatures.
"""

import pathlib

LINK_LAYERS = ("infiniband", "ethernet")
CATALOGUE = pathlib.Path(__file__).resolve().parents[2] / "agent/core/catalogue"
PORT_COUNTERS, HW_COUNTERS = 21, 29

AER = {
    "aer_dev_correctable": "RxErr BadTLP BadDLLP Rollover Timeout NonFatalErr CorrIntErr HeaderOF TOTAL_ERR_COR",
    "aer_dev_nonfatal": "Undefined DLP SDES TLP FCP CmpltTO CmpltAbrt UnxCmplt RxOF MalfTLP ECRC UnsupReq "
                        "ACSViol UncorrIntErr BlockedTLP AtomicOpBlocked TLPBlockedErr PoisonTLPBlocked "
                        "TOTAL_ERR_NONFATAL",
}
AER["aer_dev_fatal"] = AER["aer_dev_nonfatal"].replace("NONFATAL", "FATAL")
NETDEV_STATISTICS = ("collisions multicast rx_bytes rx_compressed rx_crc_errors rx_dropped rx_errors rx_fifo_errors "
                     "rx_frame_errors rx_length_errors rx_missed_errors rx_nohandler rx_over_errors rx_packets "
                     "tx_aborted_errors tx_bytes tx_carrier_errors tx_compressed tx_dropped tx_errors "
                     "tx_fifo_errors tx_heartbeat_errors tx_packets tx_window_errors").split()


def _rows(name: str, wanted) -> list[tuple[str, bool]]:
    """Counters in the catalogue's order that are `wanted`: name, and whether a healthy host has any."""
    lines = [line.split("\t") for line in (CATALOGUE / name).read_text().splitlines() if not line.startswith("#")]
    rows = [dict(zip(lines[0], line)) for line in lines[1:]]
    return [(row["counter"], row["class"] in ("traffic", "cnp_ecn")) for row in rows if wanted(row)]


def _port_counters() -> list[tuple[str, bool]]:
    return _rows("port_counters.tsv", lambda row: row["set"] in ("basic", "extended-ietf"))[:PORT_COUNTERS]


def _hw_counters() -> list[tuple[str, bool]]:
    return _rows("hw_counters.tsv", lambda row: row["driver"] == "mlx5" and row["scope"] == "port")[:HW_COUNTERS]


def _write(folder: pathlib.Path, files: dict) -> None:
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value}\n")


def _link(path: pathlib.Path, target: pathlib.Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def _pci_function(index: int) -> dict:
    files = {"vendor": "0x15b3", "device": "0x1021", "class": "0x020700", "numa_node": index % 2,
             "local_cpulist": "0-55,112-167", "current_link_speed": "32.0 GT/s PCIe", "current_link_width": 16,
             "max_link_speed": "32.0 GT/s PCIe", "max_link_width": 16,
             "hwmon/hwmon0/name": "mlx5"}
    for number, label in ((1, "asic"), (2, "module0")):
        files |= {f"hwmon/hwmon0/temp{number}_input": 40000 + 500 * index,
                  f"hwmon/hwmon0/temp{number}_crit": 105000, f"hwmon/hwmon0/temp{number}_label": label}
    return files | {name: "\n".join(f"{word} 0" for word in words.split()) for name, words in AER.items()}


def _device(index: int) -> dict:
    guid = f"b83f:d203:00a1:{index:04x}"
    return {"board_id": "MT_0000000838", "fw_ver": "28.39.1002", "hca_type": "MT4129", "hw_rev": "0",
            "node_type": "1: CA", "node_desc": f"host mlx5_{index}", "node_guid": guid, "sys_image_guid": guid}


def _port(index: int, link_layer: str, netdev: str) -> dict:
    infiniband = link_layer == "infiniband"
    files = {"state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "400 Gb/sec (4X NDR)",
             "link_layer": "InfiniBand" if infiniband else "Ethernet", "cap_mask": "0xa751e848",
             "lid": f"0x{index + 1:x}" if infiniband else "0x0", "sm_lid": "0x1" if infiniband else "0x0",
             "lid_mask_count": 0, "sm_sl": 0, "pkeys/0": "0xffff", "hw_counters/lifespan": 10}
    gids = [(f"fe80:0000:0000:0000:b83f:d203:00a1:{index:04x}", "IB/RoCE v1")]
    if not infiniband:
        gids += [(gids[0][0], "RoCE v2"), (f"0000:0000:0000:0000:0000:ffff:0a00:{index + 1:04x}", "RoCE v2")]
    for slot, (gid, kind) in enumerate(gids):
        files |= {f"gids/{slot}": gid, f"gid_attrs/types/{slot}": kind}
        if netdev:
            files[f"gid_attrs/ndevs/{slot}"] = netdev
    for offset, (name, moves) in enumerate(_port_counters()):
        files[f"counters/{name}"] = 10**9 * (index + 1) + offset if moves else 0
    for offset, (name, moves) in enumerate(_hw_counters()):
        files[f"hw_counters/{name}"] = 10**6 * (index + 1) + offset if moves else 0
    return files


def _netdev(index: int) -> dict:
    files = {"mtu": 9000, "operstate": "up", "carrier": 1, "speed": 400000, "carrier_changes": 2,
             "carrier_up_count": 1, "carrier_down_count": 1, "address": f"b8:3f:d2:a1:00:{index:02x}", "type": 1}
    return files | {f"statistics/{name}": 10**6 * index for name in NETDEV_STATISTICS}


def build(root: pathlib.Path, devices: int, link_layer: str) -> list[str]:
    """Makes root/sys and root/proc; gives the devices' names."""
    sysfs = root / "sys"
    for index in range(devices):
        name, netdev = f"mlx5_{index}", f"ens{index}np0" if link_layer == "ethernet" else ""
        function = sysfs / f"devices/pci0000:{16 + index:02x}/0000:{16 + index:02x}:00.0"
        device = function / "infiniband" / name
        _write(function, _pci_function(index))
        _write(device, _device(index))
        _write(device / "ports/1", _port(index, link_layer, netdev))
        (sysfs / "bus/pci/drivers/mlx5_core").mkdir(parents=True, exist_ok=True)
        _link(function / "driver", sysfs / "bus/pci/drivers/mlx5_core")
        _link(device / "device", function)
        _link(sysfs / "class/infiniband" / name, device)
        if netdev:
            _write(function / "net" / netdev, _netdev(index))
            _link(function / "net" / netdev / "device", function)
            _link(sysfs / "class/net" / netdev, function / "net" / netdev)
    _write(root / "proc", {"sys/kernel/osrelease": "6.1.0-30-amd64", "sys/kernel/hostname": "bench",
                           "stat": "cpu  0 0 0 0 0 0 0 0 0 0\nbtime 1700000000"})
    return [f"mlx5_{index}" for index in range(devices)]
