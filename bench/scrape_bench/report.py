"""The figures as ratios to node_exporter's, and as a table."""

# What is wanted: the ratio at most (series: at least) this.
BARS = {"cpu": 0.25, "latency": 0.5, "rss": 0.6, "series": 2.5}


def _ratios(case: dict) -> dict:
    ours, peers = case["rdmadiagd"], case["node_exporter"]

    def ratio(key: str) -> float:
        return ours[key] / peers[key]
    return {"cpu": ratio("cpu_seconds_per_scrape"), "latency": ratio("latency_median_seconds"),
            "rss": ratio("rss_bytes"), "series": ratio("series")}


def with_ratios(cases: list) -> list:
    """Adds the ratios, and what a device costs beside what it costs in the smallest tree of its kind."""
    smallest = {}
    for case in cases:
        case["ratios"] = _ratios(case)
        per_device = case["rdmadiagd"]["cpu_seconds_per_scrape"] / case["devices"]
        first = smallest.setdefault(case["link_layer"], per_device)
        case["cpu_per_device_growth"] = per_device / first
    return cases


def _line(*cells) -> str:
    widths = (11, 8, 14, 10, 10, 9, 9, 9, 8)
    return " ".join(f"{cell:<{w}}" if i in (0, 2) else f"{cell:>{w}}"
                    for i, (cell, w) in enumerate(zip(cells, widths))).rstrip()


def _program_line(case: dict, name: str) -> str:
    f = case[name]
    return _line(case["link_layer"], case["devices"], name, f"{f['cpu_seconds_per_scrape'] * 1e6:.0f}",
                 f"{f['latency_median_seconds'] * 1e3:.2f}", f"{f['latency_p90_seconds'] * 1e3:.2f}",
                 f"{f['rss_bytes'] / 2**20:.1f}", f"{f['anonymous_bytes'] / 2**20:.1f}", f["series"])


def _ratio_line(case: dict) -> str:
    r = case["ratios"]
    return _line("", "", "ratio", f"{r['cpu']:.2f}", f"{r['latency']:.2f}", "", f"{r['rss']:.2f}", "",
                 f"{r['series']:.2f}")


def table(result: dict) -> str:
    lines = [f"{result['rounds']} scrapes each, {'gzip' if result['gzip'] else 'not compressed'}",
             _line("tree", "devices", "program", "CPU us", "median ms", "p90 ms", "RSS MiB", "anon MiB", "series")]
    for case in result["cases"]:
        lines += [_program_line(case, "rdmadiagd"), _program_line(case, "node_exporter"), _ratio_line(case)]
    lines.append(_line("", "", "wanted", f"<={BARS['cpu']}", f"<={BARS['latency']}", "", f"<={BARS['rss']}", "",
                       f">={BARS['series']}"))
    lines += [f"CPU per device with {case['devices']} devices ({case['link_layer']}): "
              f"{case['cpu_per_device_growth']:.2f} of that with the fewest" for case in result["cases"]
              if case["cpu_per_device_growth"] != 1]
    return "\n".join(lines)
