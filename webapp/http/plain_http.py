"""Plain HTTP on the TLS port: redirects visitors who type an address without https.

A TLS connection begins with a handshake record (RFC 8446, section 5.1), HTTP with a method's name,
so the first byte distinguishes them. The handshake is examined where its bytes enter OpenSSL
(``ssl.SSLContext.wrap_bio``), under any event loop.
"""

from __future__ import annotations

import re
import ssl
from pathlib import Path
from typing import Any

#: The type of TLS record that contains a handshake.
_HANDSHAKE = 0x16
#: The request line and the Host header, which are all that a redirect needs.
_REQUEST_LINE = re.compile(rb"[A-Z]{3,8} (/[!-~]*) HTTP/1\.[01]\r\n")
_HOST_LINE = re.compile(rb"\r\nhost: *([A-Za-z0-9.:\[\]-]{1,255})[ \t]*\r\n", re.IGNORECASE)
_CLOSE = b"Content-Length: 0\r\nConnection: close\r\n\r\n"


def make_tls_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """A server's context that answers plain HTTP with a redirection. Raises ``OSError``."""
    context = _RedirectingContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def answer_plain_request(head: bytes) -> bytes:
    """The answer to a request's head: a redirection to the same address with https, or an error if
    it cannot be read.

    The redirection is not permanent, because the same port may serve plain HTTP later.
    """
    asked, host = _REQUEST_LINE.match(head), _HOST_LINE.search(head)
    if asked is None or host is None:
        return b"HTTP/1.1 400 Bad Request\r\n" + _CLOSE
    address = b"https://" + host[1] + asked[1]
    return b"HTTP/1.1 307 Temporary Redirect\r\nLocation: " + address + b"\r\n" + _CLOSE


class _RedirectingContext(ssl.SSLContext):
    """Makes objects that examine a connection's first byte before the handshake."""

    def wrap_bio(
        self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO, *args: Any, **settings: Any
    ) -> Any:
        """An object for TLS, or for the redirection of plain HTTP, between two buffers."""
        inner = super().wrap_bio(incoming, outgoing, *args, **settings)
        return _FirstByte(inner, incoming, outgoing)


class _FirstByte:
    """Behaves like an ``ssl.SSLObject`` after the first byte has shown that the connection uses
    TLS.
    """

    def __init__(
        self, inner: ssl.SSLObject, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO
    ) -> None:
        self._inner, self._incoming, self._outgoing = inner, incoming, outgoing
        self._is_tls = self._is_answered = False

    def do_handshake(self) -> None:
        """Do the handshake; a plain HTTP sender is answered instead, until it leaves."""
        if not self._is_tls:
            self._look()
        self._inner.do_handshake()

    def _look(self) -> None:
        """Read the first bytes, and put them back if they are TLS. Raises ``SSLWantReadError`` if
        nothing has come.
        """
        begun = self._incoming.read()
        if not begun:
            return
        if begun[0] == _HANDSHAKE and not self._is_answered:
            self._is_tls = True
            self._incoming.write(begun)
            return
        if not self._is_answered:
            self._is_answered = True
            self._outgoing.write(answer_plain_request(begun))
        raise ssl.SSLWantReadError

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
