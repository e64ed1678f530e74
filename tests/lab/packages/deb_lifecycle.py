"""The Debian package under systemd: installed, started, scraped, upgraded with its configuration kept, purged to the last file."""

import pathlib
import pwd

from rdmalab import http
from rdmalab.exposition import Metrics
from rdmalab.shell import SCRATCH, run as run_tool
from rdmalab.systemd import Systemd
from rdmalab.topology import Flat

TOPOLOGY = Flat(rxe=1)
TIMEOUT = 1200
CONFIG = pathlib.Path("/etc/rdmadiag/rdmadiag.yaml")
OURS = "\n# a line of the administrator's\n"
FOLDERS = "/etc /usr/bin /usr/sbin /usr/lib/systemd /usr/lib/sysusers.d /usr/share/man /usr/share/doc /usr/share/rdmadiag /var/lib".split()
# dpkg's and systemd's own records, which no package takes away.
RECORDS = ("/var/lib/dpkg", "/var/lib/systemd", "/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow", "/etc/subuid", "/etc/subgid", "/etc/.pwd.lock")


def run_dpkg(systemd, *arguments: object) -> str:
    return systemd.run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", *arguments)


def run(lab):
    package = next(lab.binaries.parent.glob("rdmadiag_*.deb"))
    pathlib.Path("/usr/sbin/policy-rc.d").unlink(missing_ok=True)  # of a build machine: no service may start
    systemd = Systemd()
    before = _files()
    run_dpkg(systemd, "--install", package)
    _installed(lab, systemd)
    pid = systemd.show("rdmadiagd", "MainPID")
    _upgraded(lab, systemd, package)
    lab.check("upgrade: another process serves", systemd.show("rdmadiagd", "MainPID") != pid)
    run_dpkg(systemd, "--remove", "rdmadiag")
    lab.check("remove: the configuration stays", OURS in CONFIG.read_text())
    lab.equal("remove: nothing runs", systemd.show("rdmadiagd", "MainPID"), "0")
    run_dpkg(systemd, "--purge", "rdmadiag")
    lab.equal("purge: no file is left", sorted(_files() - before), [])
    lab.equal("purge: no user is left", [u.pw_name for u in pwd.getpwall() if u.pw_name == "rdmadiag"], [])


def _files() -> set[str]:
    folders = [folder for folder in FOLDERS if pathlib.Path(folder).exists()]
    return {f for f in run_tool("find", *folders, timeout=300).splitlines() if not f.startswith(RECORDS)}


def _installed(lab, systemd):
    lab.equal("the unit is enabled", systemd.run("systemctl", "is-enabled", "rdmadiagd").strip(), "enabled")
    lab.eventually("the unit is active", lambda: systemd.show("rdmadiagd", "ActiveState") == "active", 120)
    lab.equal("it runs as its own user", systemd.show("rdmadiagd", "User"), "rdmadiag")
    pid = systemd.show("rdmadiagd", "MainPID")
    status = systemd.run("cat", f"/proc/{pid}/status")
    lab.check("without capabilities", "CapEff:\t0000000000000000" in status, status)
    lab.check("and not as root", "Uid:\t0" not in status)
    lab.eventually("it is scraped, and its port is up", lambda: _port_up(lab.hosts[0]) == 1, 60)
    metrics = _scrape()
    lab.equal(
        "every source it has is read",
        [has for has, value in metrics.samples("rdmadiag_source_success") if value != 1],
        [],
    )
    mode = CONFIG.parent.stat().st_mode & 0o777
    lab.equal("strangers cannot look for the probe key", oct(mode), "0o750")


def _scrape() -> Metrics:
    return Metrics(http.request("http://127.0.0.1:10915/metrics", timeout=30).text)


def _port_up(host):
    try:
        return _scrape().value("rdma_port_up", device=host.device, port="1")
    except OSError:
        return None


def _upgraded(lab, systemd, package):
    """To a package with a higher version and another default configuration."""
    with CONFIG.open("a") as config:
        config.write(OURS)
    tree = SCRATCH / "newer"
    run_tool("dpkg-deb", "--raw-extract", package, tree)
    control = tree / "DEBIAN/control"
    control.write_text(control.read_text().replace("\nVersion: ", "\nVersion: 9:"))
    with (tree / "etc/rdmadiag/rdmadiag.yaml").open("a") as config:
        config.write("\n# a line of the newer version\n")
    run_tool("dpkg-deb", "-Znone", "--build", tree, SCRATCH / "newer.deb", timeout=300)
    run_dpkg(systemd, "--force-confdef", "--force-confold", "--install", SCRATCH / "newer.deb")
    lab.check("upgrade: the configuration is kept", OURS in CONFIG.read_text())
    lab.eventually("upgrade: active again", lambda: systemd.show("rdmadiagd", "ActiveState") == "active", 120)
    lab.eventually("upgrade: scraped again", lambda: _port_up(lab.hosts[0]) == 1, 60)
