"""A photograph of a finished round: sent, checked, corrected, and kept as a round of a match.

Everybody may send and correct; keeping the round, and correcting a kept one, is the scorer's. What
the browser says counts only as far as a correction goes: points are counted here, from what was
read.
"""

from __future__ import annotations

from webapp.pages import Page
from webapp.pages.snapshot import aim, correct, keep, result, take
from webapp.pages.snapshot.blueprint import BLUEPRINT

PAGES = (Page(endpoint="snapshot.choose", name="Photo", order=20),)

__all__ = ["BLUEPRINT", "PAGES", "aim", "correct", "keep", "result", "take"]
