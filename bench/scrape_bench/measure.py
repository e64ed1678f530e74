"""Scrapes the programs in turn, so that whatever else the machine does meets them all alike."""

import gzip
import http.client
import re
import statistics
import time

# Longer than the daemon's shortest interval between reads: every scrape reads the files.
PAUSE_SECONDS = 0.012
WARM_UP_ROUNDS = 20


class Failed(Exception):
    pass


class Scraper:
    """One kept connection, as Prometheus has."""

    def __init__(self, program, compressed: bool):
        self.program = program
        self._connection = http.client.HTTPConnection(program.address, timeout=30)
        self._headers = {"Accept-Encoding": "gzip"} if compressed else {}
        self.seconds: list[float] = []
        self.text = ""
        self.moments = set()

    def scrape(self) -> None:
        started = time.perf_counter()
        self._connection.request("GET", "/metrics", headers=self._headers)
        response = self._connection.getresponse()
        body = response.read()
        self.seconds.append(time.perf_counter() - started)
        if response.status != 200:
            raise Failed(f"{self.program.address} answered {response.status}")
        self.text = (gzip.decompress(body) if response.getheader("Content-Encoding") == "gzip" else body).decode()
        self.moments.update(re.findall(r'^rdmadiag_source_last_success\S*"sysfs_counters"\S* (\S+)$', self.text, re.M))

    def series(self) -> int:
        return sum(1 for line in self.text.splitlines() if line and not line.startswith("#"))


def _check_complete(scrapers: dict, devices: list) -> None:
    for name, scraper in scrapers.items():
        absent = [device for device in devices if f'device="{device}"' not in scraper.text]
        if absent:
            raise Failed(f"{name} shows nothing of {', '.join(absent)}")
    if len(scrapers["rdmadiagd"].moments) < len(scrapers["rdmadiagd"].seconds):
        raise Failed("some scrapes were answered without reading anew")


def _round(scrapers: list) -> None:
    for scraper in scrapers:
        scraper.scrape()
        time.sleep(PAUSE_SECONDS)


def run(programs: dict, devices: list, rounds: int, compressed: bool) -> dict:
    """Figures by program: CPU seconds a scrape, latency in seconds, memory in bytes, series."""
    scrapers = {name: Scraper(program, compressed) for name, program in programs.items()}
    for _ in range(WARM_UP_ROUNDS):
        _round(list(scrapers.values()))
    memory = {name: program.memory() for name, program in programs.items()}
    before = {name: program.cpu_seconds() for name, program in programs.items()}
    for scraper in scrapers.values():
        scraper.seconds.clear()
        scraper.moments.clear()
    for number in range(rounds):
        order = list(scrapers.values())
        _round(order if number % 2 else order[::-1])
    cpu = {name: program.cpu_seconds() - before[name] for name, program in programs.items()}
    _check_complete(scrapers, devices)
    return {name: {"cpu_seconds_per_scrape": cpu[name] / rounds,
                   "latency_median_seconds": statistics.median(scraper.seconds),
                   "latency_p90_seconds": statistics.quantiles(scraper.seconds, n=10)[-1] if rounds > 1 else 0,
                   "rss_bytes_at_start": memory[name]["rss_bytes"],
                   **programs[name].memory(),
                   "series": scraper.series(),
                   "body_bytes": len(scraper.text)}
            for name, scraper in scrapers.items()}
