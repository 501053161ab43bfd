"""A running server, by uvicorn: it listens, reports its address, and stops gracefully at a signal.

Raises ``ServeError`` if it cannot listen on the port or save the certificate.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO

import uvicorn
from flask import Flask

from calibration.user_error import Trouble
from scorer.store import database_place
from webapp.auth import comes_from_scorer
from webapp.config import Config
from webapp.end_signals import at_end_signal
from webapp.factory import close_app, create_app
from webapp.http.asgi import MAX_STREAMS, AsgiApp
from webapp.http.connection import (
    KEEP_ALIVE_S,
    BoundedConnection,
    BoundedRequests,
    ConnectionBounds,
    raise_handle_limit,
)
from webapp.http.cross_origin import CrossOriginApi
from webapp.http.known_hosts import KnownHosts, list_own_names
from webapp.http.logs import LOG
from webapp.http.own_address import find_own_address
from webapp.http.plain_http import make_tls_context
from webapp.jobs.referee_task import make_task
from webapp.services import services_of

#: Time for current answers to finish when the server stops.
_GRACE_S = 5
#: Connections wait here while the server is busy: a hall that opens its phones at once.
_BACKLOG = 1024
#: A TLS handshake ends within this time: a phone's on a poor network takes two seconds.
_HANDSHAKE_S = 10.0
_TWO_SERVERS = (
    "Another server is also using {}, and they cannot see each other's entries. Stop one, or "
    "store the matches in PostgreSQL."
)


class ServeError(Trouble):
    """A server that cannot start; the text is one sentence with the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningServer:
    """A listening server, its address, and the token of its scorer."""

    address: str
    token: str
    app: Flask
    stop: Callable[[], None]

    @property
    def scorer_address(self) -> str:
        """The scorer's address; browsers never send the part after the #."""
        return f"{self.address}/join#{self.token}"


class UvicornServer(uvicorn.Server):
    """A server whose streams end as soon as it must stop."""

    def __init__(self, config: uvicorn.Config, on_exit: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_exit = on_exit

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at signals while the block runs."""
        with at_end_signal(self.handle_exit):
            yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen; limit the time of a TLS handshake, for which uvicorn has no setting."""
        loop = asyncio.get_running_loop()
        if self.config.is_ssl:
            listen = partial(loop.create_server, ssl_handshake_timeout=_HANDSHAKE_S)
            loop.create_server = listen  # type: ignore[method-assign]
        await super().startup(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at a signal."""
        self.stop()
        super().handle_exit(sig, frame)

    def stop(self) -> None:
        """Stop as soon as the current answers are finished."""
        self._on_exit()
        self.should_exit = True


def serve(config: Config, *, on_ready: Callable[[RunningServer], None]) -> None:
    """Serve until a signal stops it. Raises ``ServeError``, ``StoreError``, ``SecretError``."""
    with open_server(config) as (server, listening, running):
        on_ready(running)
        server.run(sockets=[listening])


@contextlib.contextmanager
def open_server(config: Config) -> Iterator[tuple[UvicornServer, socket.socket, RunningServer]]:
    """A server with its socket open, so that nobody connects too early."""
    with contextlib.closing(_open_socket(config)) as listening:
        port = listening.getsockname()[1]
        app = create_app(config)
        claimed = _claim_database(config)
        parts, bounds = services_of(app), _make_bounds(is_behind_proxy=config.hops > 0)
        settings = uvicorn.Config(
            BoundedRequests(_wrap(app, config, max_streams=min(MAX_STREAMS, bounds.most // 2))),
            access_log=False,
            log_config=None,
            lifespan="off",
            ws="none",
            backlog=_BACKLOG,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=_GRACE_S,
        )
        if config.tls:
            certificate, key = _certificate(config)
            settings.ssl_context_factory = lambda _config, _usual: make_tls_context(
                certificate, key
            )
        settings.load()
        speak = settings.http_protocol_class
        settings.http_protocol_class = lambda **given: BoundedConnection(bounds, speak(**given))  # type: ignore[assignment]
        scheme = "https" if config.tls else "http"
        server = UvicornServer(settings, parts.boards.close_streams)
        running = RunningServer(
            stop=server.stop,
            address=f"{scheme}://{_reachable_host(config.host)}:{port}",
            token=parts.secret.token,
            app=app,
        )
        if config.source is not None:
            board = parts.boards.first()
            task = make_task(parts, board, config.source, beside=config.beside)
            board.supervisor.start(task)
        try:
            yield server, listening, running
        finally:
            close_app(app)
            if claimed is not None:
                claimed.close()


def _claim_database(config: Config) -> IO[str] | None:
    """A lock on this SQLite database's place in the data folder, held while the server runs.

    A second server on the same database shows a warning that the two do not see each other's
    entries.
    """
    if config.secret is None or database_place(config.database).file is None:
        return None
    try:
        import fcntl
    except ImportError:  # Windows has no such lock
        return None
    try:
        lock = config.secret.with_suffix(".lock").open("w")
    except OSError:  # the folder is read-only
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        LOG.warning("another server", extra={"what": _TWO_SERVERS.format(config.database)})
    return lock


def _wrap(app: Flask, config: Config, *, max_streams: int) -> KnownHosts:
    """The application in uvicorn's form: known hosts, other sites' scripts, streams, pages."""
    asgi = AsgiApp(
        app,
        services_of(app).boards,
        upload_bytes=config.upload_bytes,
        max_streams=max_streams,
        comes_from_scorer=partial(comes_from_scorer, app),
        hops=config.hops,
    )
    names = (*list_own_names(), *config.host_names, config.host.lower())
    return KnownHosts(
        CrossOriginApi(asgi, config.sites),
        names,
        is_any_known=config.hops > 0 and not config.host_names,
        is_forwarded=config.is_behind_proxy,
    )


def _make_bounds(*, is_behind_proxy: bool) -> ConnectionBounds:
    """Limits on connections, within the computer's file handles.

    No address takes more than three quarters of them, and streams take half, so others are always
    answered. A proxy's address stands for all visitors and may have all connections.
    """
    most = raise_handle_limit(ConnectionBounds.most)
    if is_behind_proxy:
        return ConnectionBounds(most=most, most_of_one=most, most_waiting=most)
    return ConnectionBounds(most=most, most_of_one=min(ConnectionBounds.most_of_one, 3 * most // 4))


def _certificate(config: Config) -> tuple[Path, Path]:
    """The files of the certificate and of its key."""
    # the modules for certificates take a while to load
    from webapp.http.tls import keep_certificate

    path, key = config.tls_certificate, config.tls_key
    if path is None or key is None:
        raise ValueError("tls needs the files tls_certificate and tls_key")
    try:
        keep_certificate(path, key, _certificate_names(config.host))
    except OSError as error:
        raise ServeError(
            f"The certificate cannot be saved in {path.parent} ({error.strerror}). Make the "
            "folder writable, or choose another with --data."
        ) from None
    return path, key


def _open_socket(config: Config) -> socket.socket:
    try:
        found = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        with contextlib.ExitStack() as undo:
            listening = undo.enter_context(socket.socket(family, kind, protocol))
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(_BACKLOG)
            undo.pop_all()
    except (OSError, OverflowError, UnicodeError) as error:
        raise ServeError(_explain_no_socket(config, error)) from None
    return listening


def _explain_no_socket(config: Config, error: Exception) -> str:
    """One sentence on why the server cannot listen at an address."""
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"Port {config.port} is in use by another program. Choose another --port."
    is_no_name = isinstance(error, socket.gaierror | UnicodeError)
    if is_no_name or getattr(error, "errno", 0) == errno.EADDRNOTAVAIL:
        return (
            f"{config.host} is not an address of this computer. Use --host 0.0.0.0, or leave it "
            "out."
        )
    reason = getattr(error, "strerror", None) or str(error)
    return f"Port {config.port} cannot be used ({reason}). Choose another --port."


def _reachable_host(host: str) -> str:
    """An address that other computers can use, if the server listens on all."""
    shown = find_own_address() if host in ("0.0.0.0", "::", "") else host
    return f"[{shown}]" if ":" in shown else shown


def _certificate_names(host: str) -> tuple[str, ...]:
    """The names that a certificate needs so that every way to reach this server fits."""
    names = ("localhost", "127.0.0.1", find_own_address(), socket.gethostname(), host)
    return tuple(dict.fromkeys(name for name in names if name not in ("0.0.0.0", "::", "")))
