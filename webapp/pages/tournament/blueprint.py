"""The blueprint of the pages about tournaments."""

from flask import Blueprint

BLUEPRINT = Blueprint("tournament", __name__)
