"""Tournaments in the browser: the organiser's pages, the wall, print-outs and a board's own page.

Who may do what: everybody looks, the organiser (the scorer's token) does everything, and who reads
a board's QR code reports results of that board.
"""

from webapp.pages import Page
from webapp.pages.tournament import board, organise, season, show
from webapp.pages.tournament.blueprint import BLUEPRINT

PAGES = (Page(endpoint="tournament.list_tournaments", name="Tournaments", order=15),)

__all__ = ["BLUEPRINT", "PAGES", "board", "organise", "season", "show"]
