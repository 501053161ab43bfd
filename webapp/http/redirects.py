"""The page to which a form sends its reader back: always an address of this server."""

from __future__ import annotations

from flask import request


def safe_redirect_target(address: str) -> str:
    """The address to go back to, if it is one of this server's, else the scoreboard.

    Under a proxy's path it lies there, whether or not the form knew of it.
    """
    is_ours = (
        address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    )
    path, root = address if is_ours else "/", request.script_root
    return path if path.startswith(f"{root}/") else root + path
