"""The blueprint of ``/api/v1`` with the shared parts of its routes: groups, pages, numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from flask import Blueprint, abort

from webapp.api.document import check_body
from webapp.live.live_board import LiveBoard
from webapp.pages.match.match_list import PAGE_SIZE
from webapp.services import services

Row = TypeVar("Row")

BLUEPRINT = Blueprint("api", __name__, url_prefix="/api/v1")

BLUEPRINT.before_request(check_body)

#: The groups of the document.
WATCH, MATCHES, PRACTICE = ("watch",), ("matches",), ("practice",)
TOURNAMENTS = ("tournaments",)
REFEREE, ADMIN = ("referee",), ("server",)


def page_of(rows: Sequence[Row], page: int | None) -> tuple[Sequence[Row], dict[str, int]]:
    """One page of rows, with its number and the number of pages; past the end it is the last page.
    Without a page, all rows.
    """
    size = len(rows) if page is None else PAGE_SIZE
    shown = count_pages(len(rows), page or 1, size)
    first = size * (shown["page"] - 1)
    return rows[first : first + size], shown


def count_pages(total: int, page: int, size: int = PAGE_SIZE) -> dict[str, int]:
    """The number of the page, the number of pages, and the number of rows."""
    pages = max(1, -(-total // max(size, 1)))
    return {"page": min(page, pages), "pages": pages, "total": total}


def find_board(number: int) -> LiveBoard:
    """The board with this number; 404 if there is none."""
    if not services().boards.has(number):
        abort(404)
    return services().boards.get(number)
