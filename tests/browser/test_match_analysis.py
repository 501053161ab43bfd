"""A whole match through its pages: the bar after every shot, the graph, the shots, the players."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from axe_faults import find_faults
from paths import CLIPS
from playwright.sync_api import Page, expect
from screen_sizes import PHONE
from simulated_match import simulate_match

from scorer.match.events import MatchStarted, ShotPlayed
from scorer.rules.choices import Format
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
    short = (("game_end", "rounds"), ("game_rounds", 3))
    number = board.begin(replace(setup, options=(*setup.options, *short)))
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
        strengths = page.locator("section", has_text="Strengths by kind of shot")
        expect(strengths.locator("tbody tr").first).to_be_visible()
        strengths.scroll_into_view_if_needed()
    page.goto(f"/match/{number}/analysis")
    show(page, "analysis")
    page.goto("/player?name=Bob")
    show(page, "strengths")


def referee_clip(server: RunningServer, form: Format, *players: str) -> None:
    """The sample clip's events, as its referee sends them, entered into a match."""
    parts = services_of(server.app)
    colours = ("red", "black", "natural")[: len(players)]
    parts.scoreboard.begin(MatchStarted(rules="nca", format=form, players=players, colours=colours))
    parts.recorder.on_start("clip")
    for line in (CLIPS / "round_events.jsonl").read_text("utf-8").splitlines():
        parts.recorder.on_event(json.loads(line))


@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_a_clip_s_round_is_refereed_into_a_match_that_is_analysed(
    server: RunningServer,
    open_window: Callable[..., Page],
    show: Callable[[Page, str], None],
    screen: str,
) -> None:
    referee_clip(server, Format.TWO, "Ann", "Bob")
    page = open_window() if screen == "desktop" else open_window(device=PHONE)
    television = open_window()
    television.set_viewport_size({"width": 1920, "height": 1080})
    television.goto("/?tv&odds=shown")
    expect(television.locator("#odds")).to_contain_text("to win")
    page.goto("/match/1/analysis")
    expect(page.locator(".chart circle")).to_have_count(3)
    expect(page.locator("ol li")).to_have_count(3)
    show(page, "analysis-of-a-clip")
    page.goto("/match/1")
    page.get_by_text("Shots seen by the camera").click()
    page.locator("[data-shot] button").first.click()
    expect(page.get_by_role("button", name="Was there a better shot?")).to_be_visible()
    assert find_faults(page) == []
    show(television, "odds-of-a-clip")


def test_three_players_each_for_themselves_are_told_why_nothing_is_analysed(
    server: RunningServer, open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    referee_clip(server, Format.THREE_SETS, "Ann", "Bob", "Cid")
    page = open_window()
    page.goto("/match/1/analysis")
    expect(page.get_by_text("Nothing to analyse.")).to_be_visible()
    expect(page.locator(".chart")).to_have_count(0)
    page.goto("/?tv&odds=shown")
    expect(page.locator(".side")).to_have_count(3)
    expect(page.locator("#odds")).to_be_hidden()
    show(page, "three-alone")
