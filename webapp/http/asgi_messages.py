"""The shapes of ASGI's calls, a one-sentence answer, and a whole request in WSGI's form.

https://asgi.readthedocs.io/en/latest/specs/www.html and https://peps.python.org/pep-3333/
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, MutableMapping
from io import BytesIO
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


async def refuse(send: Send, status: int, sentence: str) -> None:
    """Answer a request that is refused, and close its connection."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": sentence.encode()})


def make_environ(scope: Scope, body: bytes) -> dict[str, object]:
    """A request in WSGI's form, with a body that has arrived completely.

    Headers with an underscore are left out: WSGI would take them for those with a hyphen, so a
    visitor could set what only a proxy may.
    """
    host, port = scope.get("server") or ("localhost", 80)
    environ: dict[str, object] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("ascii"),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port or 0),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": scope["client"][0] if scope.get("client") else "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, content in filter(lambda header: b"_" not in header[0], scope["headers"]):
        words = name.decode("latin-1").upper().replace("-", "_")
        key = words if words == "CONTENT_TYPE" else f"HTTP_{words}"
        text = content.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ | {"CONTENT_LENGTH": str(len(body))}
