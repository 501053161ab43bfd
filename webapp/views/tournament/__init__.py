"""Tournaments in the browser: the organiser's pages, the wall, print-outs and a board's own page.

Who may do what: everybody looks, the organiser (the scorer's token) does everything, and who reads
a board's QR code reports results of that board.
"""

from webapp.views import Page
from webapp.views.tournament import board, organise, show
from webapp.views.tournament.blueprint import BLUEPRINT

PAGES = (Page(endpoint="tournament.list_tournaments", name="Tournaments", order=15),)

__all__ = ["BLUEPRINT", "PAGES", "board", "organise", "show"]
