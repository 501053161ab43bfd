"""Events sent to other programs: a webhook has an address, its event types, and a key.

Addresses on this computer or its own network are reached only if the server was started with the
option for it. A name is resolved once, and only the checked address is contacted (no DNS
rebinding); redirections are not followed. Every message is signed by HMAC-SHA256 with its webhook's
key. A webhook has a queue and a thread. If it does not answer, a message is tried a few times, then
dropped and logged, and no other webhook waits for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import ipaddress
import json
import secrets
import socket
import ssl
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from calibration.json_text import format_json
from scorer.match.events import MatchError
from webapp.http.logs import LOG
from webapp.http.private_file import write_private_file

#: An answer must come within this time.
_TIMEOUT_S = 5.0
#: Waiting times between attempts to send a message.
_RETRY_DELAYS_S = (0.0, 1.0, 5.0)
#: Number of messages that may wait for one webhook; beyond it, the oldest is dropped.
_QUEUE_MESSAGES = 256
#: Largest number of webhooks of one server; each has a thread.
_MAX_WEBHOOKS = 16

#: An event as JSON.
_Event = dict[str, object]
#: Address ranges that gateways forward to IPv4 (RFC 6052).
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address with its event types; every type if ``types`` is empty."""

    id: str
    url: str
    types: tuple[str, ...]
    key: str

    def to_json(self, *, with_key: bool = False) -> dict[str, object]:
        """The webhook as the API shows it; its key is shown only when it is created."""
        shown: dict[str, object] = {"id": self.id, "url": self.url, "types": list(self.types)}
        return {**shown, "key": self.key} if with_key else shown


class Webhooks:
    """All webhooks of a server, and their waiting events; all threads may use it."""

    def __init__(
        self,
        path: Path | None,
        *,
        may_reach_inside: bool,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """The webhooks stored in a file; none without a file.

        on_change  called when some were added or removed, so other servers can ``reload`` them
        """
        self._path, self._may_reach_inside = path, may_reach_inside
        self._on_change = on_change
        self._lock = threading.Lock()
        self._senders = {webhook.id: _Sender(webhook, self._deliver) for webhook in _load(path)}

    def all(self) -> list[Webhook]:
        """All webhooks, the oldest first."""
        return [sender.hook for sender in list(self._senders.values())]

    def add(self, url: str, types: Sequence[str]) -> Webhook:
        """A new webhook. Raises ``MatchError`` for an address that must not be reached."""
        parts = _parse_url(url)
        if not self._may_reach_inside and _is_private_host(parts.hostname or ""):
            raise MatchError(
                "That address is inside this network. Webhooks may only go outside it."
            )
        with self._lock:
            if len(self._senders) >= _MAX_WEBHOOKS:
                raise MatchError(f"There are already {_MAX_WEBHOOKS} webhooks. Remove one first.")
            hook = Webhook(
                id=secrets.token_hex(4), url=url, types=tuple(types), key=secrets.token_hex(16)
            )
            self._save([*self.all(), hook])
            self._senders[hook.id] = _Sender(hook, self._deliver)
        self._on_change()
        return hook

    def remove(self, name: str) -> bool:
        """Remove a webhook; returns whether it existed."""
        with self._lock:
            self._save([webhook for webhook in self.all() if webhook.id != name])
            sender = self._senders.pop(name, None)
        if sender is not None:
            sender.close()
            self._on_change()
        return sender is not None

    def reload(self) -> None:
        """Read the file again after another server has changed it."""
        if self._path is None:
            return
        with self._lock:
            stored = {webhook.id: webhook for webhook in _load(self._path)}
            gone = [self._senders.pop(name) for name in set(self._senders) - set(stored)]
            for name in set(stored) - set(self._senders):
                self._senders[name] = _Sender(stored[name], self._deliver)
        for sender in gone:
            sender.close()

    def send(self, event: _Event) -> None:
        """Send an event to all webhooks that want it; returns at once."""
        for sender in list(self._senders.values()):
            if not sender.hook.types or event.get("type") in sender.hook.types:
                sender.put(event)

    def close(self) -> None:
        """Stop sending."""
        for sender in list(self._senders.values()):
            sender.close()

    def _deliver(self, hook: Webhook, event: _Event) -> None:
        body = format_json({"hook": hook.id, "event": event}, ensure_ascii=False).encode()
        signature = hmac.new(hook.key.encode(), body, hashlib.sha256).hexdigest()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "crokinole-referee",
            "X-Crokinole-Signature": f"sha256={signature}",
        }
        post(_parse_url(hook.url), body, headers, may_reach_inside=self._may_reach_inside)

    def _save(self, hooks: Sequence[Webhook]) -> None:
        """Save these webhooks; a webhook that cannot be saved is not used. Raises
        ``MatchError``.
        """
        if self._path is None:
            return
        content = json.dumps([asdict(hook) for hook in hooks])
        try:
            write_private_file(self._path, content.encode())
        except OSError as error:
            raise MatchError(
                f"The webhooks cannot be saved in {self._path} ({error.strerror}). Free some "
                "space, or make the folder writable."
            ) from None


class _Sender:
    """One webhook's queue, and the thread that empties it."""

    def __init__(self, hook: Webhook, deliver: Callable[[Webhook, _Event], None]) -> None:
        self.hook, self._deliver = hook, deliver
        self._waiting = deque[_Event](maxlen=_QUEUE_MESSAGES)
        self._has_news, self._is_over = threading.Event(), threading.Event()
        threading.Thread(target=self._run, name="hook", daemon=True).start()

    def put(self, event: _Event) -> None:
        self._waiting.append(event)
        self._has_news.set()

    def close(self) -> None:
        self._is_over.set()
        self._has_news.set()

    def _run(self) -> None:
        while not self._is_over.is_set():
            if not self._waiting:
                self._has_news.wait()
                self._has_news.clear()
                continue
            event = self._waiting.popleft()
            for wait_s in _RETRY_DELAYS_S:
                if self._is_over.wait(wait_s):
                    return
                try:
                    self._deliver(self.hook, event)
                    break
                except (OSError, http.client.HTTPException, MatchError) as error:
                    LOG.warning("hook", extra={"what": f"{self.hook.id}: {error}"})


def post(
    address: SplitResult, body: bytes, headers: dict[str, str], *, may_reach_inside: bool
) -> None:
    """Send a POST to an address, which must be public unless ``may_reach_inside``.

    Raises ``OSError``, ``HTTPException`` for an answer other than 2xx, and ``MatchError`` for a
    host inside this network.
    """
    host, is_safe = address.hostname or "", address.scheme == "https"
    port = address.port or (443 if is_safe else 80)
    address_port = _resolve(host, port, may_reach_inside=may_reach_inside)
    with contextlib.closing(
        http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
    ) as connection:
        plain_socket = socket.create_connection(address_port, timeout=_TIMEOUT_S)
        context = ssl.create_default_context() if is_safe else None
        connection.sock = (
            context.wrap_socket(plain_socket, server_hostname=host) if context else plain_socket
        )
        path = f"{address.path or '/'}{'?' + address.query if address.query else ''}"
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        if not 200 <= answer.status < 300:
            raise http.client.HTTPException(f"answered {answer.status}")


def _resolve(host: str, port: int, *, may_reach_inside: bool) -> tuple[str, int]:
    """The address of a host, resolved once (no DNS rebinding); every address must be public."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    places = [str(row[4][0]) for row in found]
    if not may_reach_inside and not all(_is_public_address(place) for place in places):
        raise MatchError(f"{host} is inside this network. Webhooks may only go outside it.")
    return places[0], port


def _is_public_address(place: str) -> bool:
    address = ipaddress.ip_address(place.partition("%")[0])
    reached = (address, *_addresses_inside(address))
    return all(ip.is_global and not ip.is_multicast for ip in reached)


def _addresses_inside(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> Iterator[ipaddress.IPv4Address]:
    """The IPv4 addresses that an IPv6 address may be forwarded to (mapped, 6to4, Teredo, NAT64)."""
    if isinstance(address, ipaddress.IPv4Address):
        return
    teredo = address.teredo or ()
    yield from (inner for inner in (address.ipv4_mapped, address.sixtofour, *teredo) if inner)
    if address in _NAT64:
        yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)


def _is_private_host(host: str) -> bool:
    """Whether a host is known to be private without asking a name server."""
    plain = host.lower().rstrip(".")
    if plain == "localhost" or plain.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        return not _is_public_address(_spell_out(plain))
    except ValueError:
        return False


def _spell_out(host: str) -> str:
    """An IPv4 address as four numbers, from any spelling: 127.1, 0x7f000001, 017700000001."""
    try:
        return socket.inet_ntoa(socket.inet_aton(host)) if host else host
    except OSError:
        return host


def _parse_url(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole or not url.isascii() or not url.isprintable() or " " in url or "@" in url:
        raise MatchError("Enter an address such as https://example.org/hook.")
    return parts


def _load(path: Path | None) -> list[Webhook]:
    if path is None or not path.exists():
        return []
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return [Webhook(**{**hook, "types": tuple(hook["types"])}) for hook in content]
    except (OSError, ValueError, TypeError, KeyError):
        raise MatchError(f"{path} contains no webhooks. Delete it and add them again.") from None
