"""The page to which a form returns its reader, always an address of this server."""

from __future__ import annotations

from flask import request


def safe_redirect_target(address: str) -> str:
    """The address to go back to if it is one of this server's, otherwise the scoreboard.

    With a proxy's path, the address includes it, whether or not the form had it.
    """
    is_ours = (
        address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    )
    path, root = address if is_ours else "/", request.script_root
    return path if path.startswith(f"{root}/") else root + path
