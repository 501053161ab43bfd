"""Where a form may send its reader back to: an address of this server, never one elsewhere."""

from __future__ import annotations


def safe_redirect_target(address: str) -> str:
    """The address to go back to, if it is one of this server's, else the scoreboard."""
    is_ours = (
        address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    )
    return address if is_ours else "/"
