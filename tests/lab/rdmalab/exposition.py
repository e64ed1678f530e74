"""Reads the Prometheus text format, as far as scenarios need it."""

import re

_LINE = re.compile(r"^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$")
_LABEL = re.compile(r'([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"')
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


class Metrics:
    """One exposition. Label arguments select: every sample that has at least those."""

    def __init__(self, text: str):
        self.text = text
        self._samples: list[tuple[str, dict[str, str], float]] = []
        for line in text.splitlines():
            if line and not line.startswith("#"):
                match = _LINE.match(line)
                if not match:
                    raise ValueError(f"not a sample: {line!r}")
                labels = {
                    k: re.sub(r"\\.", lambda e: _ESCAPES.get(e[0], e[0]), v)
                    for k, v in _LABEL.findall(match[2] or "")
                }
                self._samples.append((match[1], labels, float(match[3])))

    def samples(self, name: str, **labels: str) -> list[tuple[dict[str, str], float]]:
        return [
            (has, value)
            for sample, has, value in self._samples
            if sample == name and labels.items() <= has.items()
        ]

    def value(self, name: str, **labels: str) -> float | None:
        """The one sample that fits; None when there is none. More than one is an error of the scenario."""
        found = self.samples(name, **labels)
        if len(found) > 1:
            raise ValueError(f"{name} {labels}: {len(found)} samples")
        return found[0][1] if found else None

    def total(self, name: str, **labels: str) -> float:
        return sum(value for _, value in self.samples(name, **labels))

    def labels(self, name: str, **labels: str) -> dict[str, str]:
        """All labels of the one sample that fits; empty when there is none."""
        found = self.samples(name, **labels)
        return found[0][0] if len(found) == 1 else {}

    def names(self) -> set[str]:
        return {name for name, _, _ in self._samples}

    def devices(self) -> set[str]:
        return {labels["device"] for _, labels, _ in self._samples if labels.get("device")}
