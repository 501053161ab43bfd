"""The server's host names: a request for any other host is refused with 421.

Without this check, a foreign page whose name suddenly leads to this server (DNS rebinding) could
pass for one of the server's own. Numeric addresses are always allowed, because a browser requests
one only if it was typed or scanned.
https://www.rfc-editor.org/rfc/rfc9110#name-421-misdirected-request
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable

from webapp.http.asgi_messages import Application, Receive, Scope, Send, refuse

_UNKNOWN = "This server does not know that host name. Start it with --host-name and the name."
_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*\.?")
_HOST = re.compile(r"(?P<host>\[[0-9a-f:.]+\]|[^:\[\]]+)(:[0-9]{1,5})?")


def check_host_name(text: str) -> str:
    """A host's name in lower case. Raises ``ValueError`` with a sentence."""
    name = text.strip().lower().rstrip(".")
    if not _is_name(name):
        raise ValueError(f"{text!r} is not a host name. Use the form club.example, without a port.")
    return name


def list_own_names() -> tuple[str, ...]:
    """The names of this computer on its own network."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return ("localhost", name, short, f"{short}.local")


class KnownHosts:
    """An ASGI application that passes requests for known hosts to the inner one.

    A proxy may be trusted to pass only its own names; then every name is accepted.
    """

    def __init__(
        self,
        inside: Application,
        names: Iterable[str],
        *,
        is_any_known: bool = False,
        is_forwarded: bool = False,
    ) -> None:
        """``names`` are in lower case.

        is_forwarded  whether a proxy gives the browser's host in X-Forwarded-Host
        """
        self._inside, self._names, self._is_any_known = inside, frozenset(names), is_any_known
        self._is_forwarded = is_forwarded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] == "http":
            hosts = _read(scope, b"host")
            if self._is_forwarded:
                hosts = _read(scope, b"x-forwarded-host")[-1:] or hosts
            if len(hosts) > 1 or not all(map(self.knows, hosts)):
                await refuse(send, 421, _UNKNOWN)
                return
        await self._inside(scope, receive, send)

    def knows(self, host: str) -> bool:
        """Whether a request's host, with or without a port, is this server's."""
        found = _HOST.fullmatch(host.strip().lower())
        if found is None:
            return False
        name = found["host"].rstrip(".")
        if _is_address(name.strip("[]")):
            return True
        return _is_name(name) and (self._is_any_known or name in self._names)


def _read(scope: Scope, header: bytes) -> list[str]:
    """The values of a header, in order."""
    values = [value.decode("latin-1") for name, value in scope["headers"] if name == header]
    return [part.strip() for value in values for part in value.split(",")]


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
