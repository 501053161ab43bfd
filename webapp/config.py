"""The settings chosen by the person who starts the server."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from webapp.data_folder import KeptFiles

#: Default address to listen at: only this computer can reach it.
LOOPBACK = "127.0.0.1"
PORT = 8000

#: Space for shots, at 0.5 MB each: about 4,000, a club's season.
CLIP_STORE_BYTES = 2_000_000_000

#: The largest upload: phones write 200 megapixels as 60 to 80 MB.
UPLOAD_BYTES = 80 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(KeptFiles):
    """How a server runs.

    source        the camera or video at the start; None until one is chosen
    beside        a second camera's source on the same board as ``source``
    rules         the rule set of the referee without a match
    profile       the board's profile; None to measure in the picture
    shots_bytes   the limit of the clip store's size; the oldest shots are deleted first
    tls           whether to use HTTPS, which phones need to share their camera; the files of its
                  certificate and key must then be named
    hooks_inside  whether webhooks may reach this computer and its own network
    sites         origins whose pages' scripts may use the API, such as https://club.example
    proxies       number of own proxies that every request passes: each of them adds its sender's
                  address to X-Forwarded-For, so the visitor's address is at this position from the
                  end
    workers       number of workers that this server starts on its computer for its cameras, 0 if
                  they run elsewhere; None to referee them itself
    data          the data folder that workers share
    is_behind_proxy  whether one proxy gives the visitor and the browser's address in
                  X-Forwarded-For, -Proto, -Host and -Prefix
    host_names    names of the server in addition to this computer's own names and addresses
    is_rate_limit_off  for load tests on this computer
    is_demo  the scoreboard offers to repeat the sample round once it is over
    """

    host: str = LOOPBACK
    port: int = PORT
    source: str | None = None
    beside: str | None = None
    rules: str = "nca"
    profile: Path | None = None
    shots_bytes: int = CLIP_STORE_BYTES
    tls: bool = False
    upload_bytes: int = UPLOAD_BYTES
    hooks_inside: bool = False
    sites: tuple[str, ...] = ()
    proxies: int = 0
    is_behind_proxy: bool = False
    host_names: tuple[str, ...] = ()
    is_rate_limit_off: bool = False
    is_demo: bool = False
    workers: int | None = None
    data: Path | None = None

    @property
    def hops(self) -> int:
        """Number of proxies that report the origin of a request."""
        return max(self.proxies, int(self.is_behind_proxy))

    @property
    def is_private(self) -> bool:
        """Whether only this computer can reach the server."""
        if self.is_behind_proxy:
            return False
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False
