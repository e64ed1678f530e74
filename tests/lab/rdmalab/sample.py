"""The made-up sysfs trees of tests/fixtures, for daemons on devices that the lab cannot have."""

import pathlib
import re

_ESCAPES = {"n": b"\n", "t": b"\t", "\\": b"\\"}


def _unescaped(text: bytes) -> bytes:
    def value(match):
        if match[1].startswith(b"x"):
            return bytes([int(match[1][1:], 16)])
        return _ESCAPES[match[1].decode()]

    return re.sub(rb"\\(x[0-9A-Fa-f]{2}|.)", value, text)


def lay(fixtures: pathlib.Path, root: pathlib.Path, *cases: str) -> None:
    """Writes the files of these cases, one over the other, below root/sys."""
    wanted = {case.encode() for case in cases}
    for line in (fixtures / "sysfs_trees.tsv").read_bytes().splitlines():
        where, _tab, content = line.partition(b"\t")
        case, _slash, rest = where.partition(b"/")
        if case not in wanted:
            continue
        path = root / rest.decode("utf-8", "surrogateescape")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_unescaped(content))
