"""A replayed shot of a match, with the better shot drawn on its board."""

from __future__ import annotations

from collections.abc import Callable

from axe_faults import find_faults
from playwright.sync_api import Page, expect
from screen_sizes import PHONE
from watch_events import RED, board_event, disc, shot_event

from scorer.match.events import MatchStarted
from scorer.rules.choices import Format
from webapp.server import RunningServer
from webapp.services import services_of


def test_a_shot_s_replay_draws_the_better_shot(
    server: RunningServer, open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    parts = services_of(server.app)
    colours, players = ("red", "black"), ("Ann", "Bob")
    parts.scoreboard.begin(
        MatchStarted(rules="nca", format=Format.TWO, players=players, colours=colours)
    )
    parts.recorder.on_event(board_event())
    parts.recorder.on_event(shot_event(0, RED, disc("shooter", RED, (-250.0, 30.0))))
    for page in (open_window(), open_window(device=PHONE)):
        page.goto("/match/1")
        page.get_by_text("Shots seen by the camera").click()
        page.locator("[data-shot] button").first.click()
        page.get_by_role("button", name="Was there a better shot?").click()
        expect(page.locator(".board-choice .b-track")).to_have_count(1)
        expect(page.locator(".shown")).to_contain_text("On average, the shot drawn here gains")
        assert find_faults(page) == []
        page.locator(".board-choice").scroll_into_view_if_needed()
    show(page, "better-shot")
