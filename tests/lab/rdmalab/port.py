"""The virtio-serial port to the host's runner: JSON lines both ways."""

import json
import os
import pathlib


class Port:
    def __init__(self, name: str):
        for entry in pathlib.Path("/sys/class/virtio-ports").iterdir():
            if (entry / "name").read_text().strip() == name:
                self._fd = os.open(f"/dev/{entry.name}", os.O_RDWR | os.O_CLOEXEC)
                return
        raise FileNotFoundError(f"no virtio port {name}")

    def send(self, message: dict) -> None:
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self._fd, data) :]

    def receive(self) -> dict | None:
        """The host's next message; waits for it. None when the host has gone."""
        data = b""
        while not data.endswith(b"\n"):
            chunk = os.read(self._fd, 1)
            if not chunk:
                return None
            data += chunk
        return json.loads(data)
