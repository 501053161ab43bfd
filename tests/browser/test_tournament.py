"""Tournaments in the browser: the wall always fits, goes on by itself, and no page spills."""

from __future__ import annotations

import random
from collections.abc import Callable

from axe_playwright_python.sync_playwright import Axe
from played_tournaments import play_round, started, with_stage
from playwright.sync_api import Page, expect

from scorer.tournament.events import RoundBegun, StageKind
from scorer.tournament.fold import fold
from scorer.tournament.pairing import pair_next_round
from webapp.runtime.scoreboard import now
from webapp.server import RunningServer
from webapp.services import services_of

#: Whatever is too high or too wide for the wall.
OVERFLOW = """() => {
  const root = document.documentElement;
  const spilled = [...document.querySelectorAll(".wall-page *")].filter((each) => {
    const box = each.getBoundingClientRect();
    return box.width && (box.right > innerWidth + 1 || box.bottom > innerHeight + 1);
  });
  return spilled.map((each) => each.outerHTML.slice(0, 80))
    .concat(root.scrollHeight > innerHeight + 1 ? ["the page"] : []);
}"""


def test_an_evening_on_24_boards_fits_every_wall_and_goes_on_by_itself(
    server: RunningServer, scorer: Page, open_window: Callable[..., Page], show: Callable[..., None]
) -> None:
    log = with_stage(started(48, boards=24), StageKind.SWISS, range(48), rounds=3)
    log = play_round(log, 0, random.Random(3))
    log = (*log, pair_next_round(fold(log), 0), RoundBegun(minutes=40))
    tournaments = services_of(server.app).tournaments
    number = tournaments.create(log[0], log[1:], now=now())  # type: ignore[arg-type]
    wall = open_window()
    wall.goto(f"/tournaments/{number}/wall")
    for width, height in ((1280, 720), (1920, 1080), (3840, 2160)):
        wall.set_viewport_size({"width": width, "height": height})
        assert wall.evaluate(OVERFLOW) == []
    scorer.goto(f"/tournaments/{number}")
    show(scorer, "tournament")
    faults = Axe().run(scorer).response["violations"]
    assert [each["id"] for each in faults if each["impact"] in ("serious", "critical")] == []
    result = scorer.locator("form.result:visible").first
    result.locator("select").select_option("8")
    result.get_by_role("button").click()
    expect(wall.locator(".wall-board.free")).to_have_count(1)
