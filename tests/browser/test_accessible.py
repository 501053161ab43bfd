"""The pages about matches and the referee, with axe: no serious fault, in light and in dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from watch_events import BLACK, blind_event, board_event, disc, shot_event

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


def serious(page: Page) -> Iterator[str]:
    """What axe holds for serious or critical, a line each."""
    page.wait_for_load_state("load")  # with its colours
    for found in Axe().run(page).response["violations"]:
        if found["impact"] in ("serious", "critical"):
            for node in found["nodes"]:
                yield f"{page.url}: {found['id']}: {node['html'][:120]}"


@pytest.fixture
def played(server: RunningServer) -> RunningServer:
    """A match in its second round, with a dispute, a board that is seen, and a foul."""
    parts = services_of(server.app)
    board, recorder = parts.scoreboard, parts.recorder
    number = board.begin(
        MatchStarted(
            rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("natural", "black")
        )
    )
    board.append(number, RoundScored(points=(45, 20), twenties=(1, 0)))
    board.append(number, RoundStarted(minutes=20))
    shot = ShotPlayed(
        player=1, verdict="legal", board=(DiscInZone(id="d1", side=1, zone=10),), twenties=(0, 0)
    )
    board.append(number, shot)
    board.append(number, Disputed(about="Is it a 15?", disc="d1"))
    seen, teams = disc("d1", BLACK, (132.0, 132.0)), (NATURAL, BLACK)
    recorder.on_start("clip")
    recorder.on_event(board_event(seen, teams=teams))
    fault = Fault(code=FaultCode.NO_CONTACT, rule="It must strike one.", evidence={"gap_mm": 3.2})
    recorder.on_event(shot_event(1, BLACK, seen, verdict=Verdict.FOUL, faults=[fault], teams=teams))
    recorder.on_event(blind_event("The board is hidden.", "Look at it."))
    return server


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(
    open_window: Callable[..., Page],
    show: Callable[[Page, str], None],
    scheme: str,
) -> None:
    page = open_window(scorer=True, color_scheme=scheme)
    faults: list[str] = []
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
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        if address == "/match/1":
            page.get_by_role("button", name="Show again").click()
            expect(page.locator(".again .evidence")).to_contain_text("It must strike one.")
        faults += serious(page)
        show(page, f"{scheme}-{address.strip('/').replace('/', '-') or 'scoreboard'}")
    page.goto("/overlay?parts=score,verdict,clock,board")
    expect(page.locator("#score .line")).to_have_count(2)
    faults += serious(page)
    show(page, f"{scheme}-overlay")
    page.goto("/no-such-page")
    faults += serious(page)
    assert faults == []


def test_close_disc_is_looked_at_and_put_right_in_one_tap(
    played: RunningServer, open_window: Callable[..., Page]
) -> None:
    page = open_window(scorer=True)
    page.goto("/match/1")
    disc = page.locator(".b-disc")
    disc.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#disc")).to_contain_text(", close")
    page.get_by_role("button", name="It counts 15").click()
    expect(page.locator("#disc")).to_contain_text("Choose a disc")
    state = services_of(played.app).scoreboard.state["match"]
    assert state["board"] == [{"id": "d1", "side": 1, "zone": 15}]
