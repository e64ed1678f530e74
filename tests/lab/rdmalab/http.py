"""GET and POST without surprises: an error status is an answer, not an exception."""

import dataclasses
import json
import urllib.error
import urllib.request

from .pace import stretched


@dataclasses.dataclass
class Response:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self):
        return json.loads(self.body)


def request(
    url: str, timeout: float = 30, method: str = "GET", headers: dict[str, str] | None = None
) -> Response:
    """Raises OSError when nobody answers."""
    asked = urllib.request.Request(url, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(asked, timeout=stretched(timeout)) as answer:
            return Response(answer.status, dict(answer.headers), answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return Response(error.code, dict(error.headers), error.read())
