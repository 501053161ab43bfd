"""The help page: answers to a player's questions, in plain English."""

from __future__ import annotations

from flask import Blueprint, render_template

from calibration.phrase import Phrase
from webapp.pages import Page

BLUEPRINT = Blueprint("help", __name__)
PAGES = (Page(endpoint="help.show", name=Phrase("Help"), order=80),)


@BLUEPRINT.get("/help")
def show() -> str:
    """How to keep score, use a camera and settle a question."""
    return render_template("help.html")
