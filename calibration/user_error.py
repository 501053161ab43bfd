"""The base of every exception whose text is written for the user."""

from __future__ import annotations


class Trouble(Exception):  # noqa: N818  # it is outside trouble, not a mistake of the caller
    """An external failure; the text is one sentence with the remedy."""
