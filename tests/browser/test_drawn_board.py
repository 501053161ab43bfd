"""The drawn board: sides that can be distinguished without their colours, and recent motion."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from wait_until import wait_until
from watch_events import BLACK, RED, board_event, disc, removal_event, shot_event

from scorer.match.events import MatchStarted
from scorer.rules.choices import Format
from webapp.server import RunningServer
from webapp.services import services_of

#: Every animation that a script starts is recorded: its element's class, and its frames.
_WATCH = """
window.moved = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, options) {
  window.moved.push([this.getAttribute("class"), frames.length]);
  return animate.call(this, frames, options);
};
"""


def dump(moves: list[list[object]]) -> str:
    return json.dumps(moves, separators=(",", ":"))


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_shot_and_a_removal_move_once_over_a_board_that_is_right_at_once(
    server: RunningServer, open_window: Callable[..., Page], motion: str
) -> None:
    parts = services_of(server.app)
    setup = MatchStarted(
        rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("red", "black")
    )
    parts.scoreboard.begin(setup)
    page = open_window(reduced_motion=motion)
    page.add_init_script(_WATCH)
    recorder, black, red = parts.recorder, disc("b", BLACK, (60, 0)), disc("r", RED, (-60, 90))
    recorder.on_start("clip")
    recorder.on_event(board_event(black))
    page.goto("/")
    discs = page.locator(".b-disc")
    expect(discs).to_have_count(1)
    page.wait_for_load_state()
    shot = shot_event(0, RED, black, red, before=[black])
    (start,) = shot["evidence"]["track"]
    shot["evidence"]["track"] = [start, start | {"x_mm": -20.0, "y_mm": -100.0}]
    recorder.on_event(shot)
    expect(discs).to_have_count(2)
    expect(page.locator(".b-disc[transform='translate(-60.0 -90.0)']")).to_have_count(1)
    moves: list[list[object]] = [["b-ghost", 2]] if motion == "no-preference" else []
    wait_until(page, f"JSON.stringify(window.moved) === {dump(moves)!r}")
    recorder.on_event(removal_event(red))
    expect(discs).to_have_count(1)
    wait_until(page, f"JSON.stringify(window.moved) === {dump(moves * 2)!r}")
    expect(page.locator(".b-ghost")).to_have_count(0)


def test_two_sides_differ_by_a_mark_on_discs_and_names(
    server: RunningServer, spectator: Page, show: Callable[[Page, str], None]
) -> None:
    parts = services_of(server.app)
    setup = MatchStarted(
        rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("black", "red")
    )
    parts.scoreboard.begin(setup)
    parts.recorder.on_start("clip")
    parts.recorder.on_event(board_event(disc("b", BLACK, (60, 0)), disc("r", RED, (-60, 90))))
    spectator.goto("/")
    expect(spectator.locator(".b-disc")).to_have_count(2)
    for name, red in (("Ann", False), ("Bob", True)):
        card = spectator.locator(".side", has_text=name)
        expect(card.locator(".side-mark")).to_have_count(int(red))
    marked = spectator.locator(".b-disc:has(.side-mark)")
    expect(marked).to_have_count(1)
    expect(marked.locator(".b-body")).to_have_attribute("fill", "#c0282d")
    show(spectator, "side-marks")
