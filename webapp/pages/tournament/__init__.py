"""Tournaments in the browser: the organiser's pages, the wall, print-outs and the boards' own
pages.

Everybody may look. The organiser (with the scorer's token) may do everything. A reader of a board's
QR code may report results of that board.
"""

from calibration.phrase import Phrase
from webapp.pages import Page
from webapp.pages.tournament import board, organise, season, show
from webapp.pages.tournament.blueprint import BLUEPRINT

PAGES = (Page(endpoint="tournament.list_tournaments", name=Phrase("Tournaments"), order=15),)

__all__ = ["BLUEPRINT", "PAGES", "board", "organise", "season", "show"]
