"""A whole match through its pages: the bar after every shot, the graph, the shots, the players."""

from __future__ import annotations

import math
from collections.abc import Callable

from axe_faults import find_faults
from playwright.sync_api import Page, expect
from screen_sizes import PHONE
from simulated_match import simulate_match

from scorer.match.events import MatchStarted, ShotPlayed
from webapp.server import RunningServer
from webapp.services import services_of


def test_a_whole_match_is_analysed_from_its_first_shot_to_its_players(
    server: RunningServer,
    open_window: Callable[..., Page],
    show: Callable[[Page, str], None],
) -> None:
    setup, *entries = simulate_match(3)
    assert isinstance(setup, MatchStarted)
    board = services_of(server.app).scoreboard
    number = board.begin(setup)
    screen = open_window()
    screen.goto("/?odds=shown")
    for event in entries:
        board.append(number, event)
        if isinstance(event, ShotPlayed):
            now = screen.request.get(f"/match/{number}/chances").json()["now"]
            words = f"Ann: {math.floor(100 * now['win'][0] + 0.5)}% to win"
            expect(screen.locator("#odds")).to_contain_text(words)
    for page in (open_window(), open_window(device=PHONE)):
        page.goto(f"/match/{number}/analysis")
        expect(page.locator(".chart circle")).to_have_count(3)
        points = page.locator(".chart polyline").get_attribute("points")
        assert points is not None
        assert len(points.split()) == 1 + 24
        assert find_faults(page) == []
        page.goto("/player?name=Bob")
        expect(page.get_by_role("heading", name="Bob")).to_be_visible()
    page.goto(f"/match/{number}/analysis")
    show(page, "analysis")
