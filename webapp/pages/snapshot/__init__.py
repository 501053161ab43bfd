"""A photo of a finished round: sent, checked, corrected, and saved as a round of a match.

Everybody may send and correct; only the scorer saves the round, or corrects a saved one. The
browser sends only corrections; points are counted here, from the reading.
"""

from __future__ import annotations

from calibration.phrase import Phrase
from webapp.pages import Page
from webapp.pages.snapshot import aim, correct, keep, result, take
from webapp.pages.snapshot.blueprint import BLUEPRINT

PAGES = (Page(endpoint="snapshot.choose", name=Phrase("Photo"), order=20),)

__all__ = ["BLUEPRINT", "PAGES", "aim", "correct", "keep", "result", "take"]
