"""Addresses for phones that join, as text and as QR codes."""

from __future__ import annotations

import segno
from flask import request
from markupsafe import Markup

from webapp.http.own_address import find_own_address
from webapp.services import services


def make_public_address() -> str:
    """The address at which others reach this server: this browser's address, unless only this
    computer can use it.
    """
    host = request.host
    name, _, port = host.rpartition(":") if ":" in host else (host, "", "")
    config = services().config
    is_own = not (config.is_private or config.is_behind_proxy)
    if is_own and name in ("localhost", "127.0.0.1", "[::1]"):
        host = f"{find_own_address()}:{port}" if port else find_own_address()
    return f"{request.scheme}://{host}{request.script_root}/"


def draw_qr_code(content: str) -> Markup:
    """A QR code as a drawing."""
    drawn = segno.make(content, error="m", micro=False)
    return Markup(drawn.svg_inline(scale=6, border=4, dark="#000", light="#fff", omitsize=True))
