"""Tournaments in the browser: the organiser's pages, the wall, print-outs and a board's own page.

Who may do what: everybody looks, the organiser (the scorer's token) does everything, and who reads
a board's QR code reports results of that board.
"""

from flask import Blueprint

from webapp.views import Page

BLUEPRINT = Blueprint("tournament", __name__)
PAGES = (Page(endpoint="tournament.list_tournaments", name="Tournaments", order=15),)

# The views name themselves on the blueprint.
from webapp.views.tournament import board, organise, show  # noqa: E402, F401
