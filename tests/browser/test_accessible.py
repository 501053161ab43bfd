"""The pages about matches and the referee, with axe: no serious fault, in light and in dark."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import pytest
from axe_faults import COLOUR_RULES, find_faults
from playwright.sync_api import Page, expect
from watch_events import BLACK, blind_event, board_event, disc, shot_event

from calibration.json_text import to_plain
from calibration.placed_disc import Team
from scorer.match.events import (
    DiscInZone,
    Disputed,
    MatchStarted,
    RoundScored,
    RoundStarted,
    ShotPlayed,
)
from scorer.rules.checks import Fault
from scorer.rules.choices import Format
from scorer.rules.fault_codes import FaultCode
from scorer.rules.judge_shot import Verdict
from webapp.server import RunningServer
from webapp.services import services_of

NATURAL = Team(number=0, colour_rgb=(217, 167, 102), colour_name="natural")
WANTS_PICTURES = "CROKINOLE_SCREENS" in os.environ


@pytest.fixture
def played(server: RunningServer) -> RunningServer:
    """A match in its second round, with a dispute, a board seen by a camera, and a foul."""
    parts = services_of(server.app)
    board, recorder = parts.scoreboard, parts.recorder
    number = board.begin(
        MatchStarted(
            rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("natural", "black")
        )
    )
    board.append(number, RoundScored(points=(45, 20), twenties=(1, 0)))
    board.append(number, RoundStarted(minutes=20))
    lies = DiscInZone(id="d1", side=1, zone=10, place_mm=(132.0, 132.0))
    shot = ShotPlayed(player=1, verdict="legal", board=(lies,), twenties=(0, 0))
    board.append(number, shot)
    board.append(number, Disputed(about="Is it a 15?", disc="d1"))
    seen, teams = disc("d1", BLACK, (132.0, 132.0)), (NATURAL, BLACK)
    recorder.on_start("clip")
    recorder.on_event(board_event(seen, teams=teams))
    fault = Fault(code=FaultCode.NO_CONTACT, rule="It must strike one.", evidence={"touched": []})
    recorder.on_event(shot_event(1, BLACK, seen, verdict=Verdict.FOUL, faults=[fault], teams=teams))
    recorder.on_event(blind_event("The board is hidden.", "Look at it."))
    return server


@pytest.mark.usefixtures("played")
def test_axe_finds_no_serious_fault_in_light_and_dark(
    open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    page = open_window(scorer=True)
    faults: list[str] = []

    def look(name: str) -> None:
        page.emulate_media(color_scheme="light")
        faults.extend(find_faults(page))
        show(page, f"light-{name}")
        page.emulate_media(color_scheme="dark")  # only its colours differ
        faults.extend(find_faults(page, COLOUR_RULES))
        if WANTS_PICTURES:
            show(page, f"dark-{name}")

    for address in (
        "/",
        "/match/1",
        "/match/new",
        "/matches",
        "/player?name=Ann",
        "/help",
        "/referee",
        "/camera",
        "/join",
    ):
        page.goto(address)
        if address == "/":
            expect(page.locator("#verdict .call")).to_have_text("Foul")
        if address == "/match/1":
            expect(page.locator("#referee-says")).to_contain_text(
                "Not refereeing. The board is hidden."
            )
            page.locator(".b-body").click()
            expect(page.locator("#disc .close svg")).to_be_visible()
        page.evaluate(
            "document.querySelectorAll('details').forEach((element) => (element.open = true))"
        )
        if address == "/match/1":
            page.get_by_role("button", name="Replay: ").click()
            expect(page.locator(".again .evidence")).to_contain_text("It must strike one.")
        look(address.strip("/").replace("/", "-") or "scoreboard")
    page.goto("/overlay?parts=score,verdict,clock,board")
    expect(page.locator("#score .line")).to_have_count(2)
    look("overlay")
    page.goto("/no-such-page")
    faults += find_faults(page)
    assert faults == []


def test_close_disc_is_looked_at_and_put_right_in_one_tap(
    played: RunningServer, open_window: Callable[..., Page]
) -> None:
    page = open_window(scorer=True)
    page.goto("/match/1")
    shown = page.locator("main").text_content() or ""
    assert "Bob, 10, 19 cm out at 2 o'clock" in shown
    assert not re.search(r"\bd1\b", shown), "a disc's id is nothing that a person sees on the board"
    disc = page.locator(".b-disc")
    disc.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#disc")).to_contain_text("Black 19 cm out at 2 o'clock: 10, ")
    expect(page.locator("#disc")).to_contain_text(", close")
    page.get_by_role("button", name="It is worth 15").click()
    expect(page.locator("#disc")).to_contain_text("Choose a disc")
    expect(page.locator(".log")).to_contain_text("disc 19 cm out at 2 o'clock is worth 15")
    state = to_plain(services_of(played.app).scoreboard.state)["match"]
    assert [(lies["id"], lies["side"], lies["zone"]) for lies in state["board"]] == [("d1", 1, 15)]
