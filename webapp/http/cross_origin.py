"""Lets other sites' scripts use the API (CORS): only allowed sites, and only the API.

A script may read answers and send the scorer's token as a header. Cookies stay with this server's
own pages, so no other page acts as the scorer's browser.
https://fetch.spec.whatwg.org/#http-cors-protocol
"""

from __future__ import annotations

import re
from collections.abc import Collection

from webapp.http.asgi_messages import Application, Message, Receive, Scope, Send

#: A site as browsers name it in ``Origin``: scheme, host, and the port unless it is the default.
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?")
#: The paths of the server that other sites may use.
_PATHS = ("/api/v1/", "/events")
_PREFLIGHT = [
    (b"access-control-allow-methods", b"GET, POST, DELETE"),
    (b"access-control-allow-headers", b"Authorization, Content-Type, Last-Event-ID"),
    (b"access-control-max-age", b"600"),
    (b"content-length", b"0"),
]


def check_site(text: str) -> str:
    """A site's origin, as browsers send it. Raises ``ValueError`` with a sentence."""
    origin = text.strip().rstrip("/").lower()
    if not _ORIGIN.fullmatch(origin):
        raise ValueError(
            f"{text!r} is not a site. Use the form https://club.example, without a path."
        )
    return origin


class CrossOriginApi:
    """An ASGI application that tells browsers which other sites may use the inner one."""

    def __init__(self, inside: Application, sites: Collection[str]) -> None:
        """``sites`` are origins from ``check_site``."""
        self._inside = inside
        self._sites = frozenset(site.encode() for site in sites)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        is_open = scope["type"] == "http" and scope["path"].startswith(_PATHS)
        if not (self._sites and is_open):
            await self._inside(scope, receive, send)
            return
        headers = dict(scope["headers"])
        origin = headers.get(b"origin", b"")
        headers_added = [(b"vary", b"Origin")]
        if origin in self._sites:
            headers_added.append((b"access-control-allow-origin", origin))
            headers_added.append((b"access-control-expose-headers", b"X-Request-Id, Retry-After"))
            if scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
                start = {"type": "http.response.start", "status": 204}
                await send(start | {"headers": [*headers_added, *_PREFLIGHT]})
                await send({"type": "http.response.body", "body": b""})
                return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *headers_added]}
            await send(message)

        await self._inside(scope, receive, send_with_headers)
