"""A match without known colours and starter, and a camera: one tap sets who plays a colour."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from playwright.sync_api import Page, expect
from screen_sizes import PHONE
from watch_events import BLACK, RED, in_zone, round_event, shot_event

from calibration.placed_disc import Team
from scorer.match.fold import fold
from webapp.sample_clips import DEMO_CLIP, list_clips
from webapp.server import RunningServer
from webapp.services import services_of


def begin(page: Page, discs: int | None = None, colours: Sequence[str] = ()) -> None:
    """A new match with the offered settings, or with another number of discs per side."""
    page.goto("/match/new?rules=nca")
    page.get_by_label("Player 1").fill("Ann")
    page.get_by_label("Player 2").fill("Bob")
    for number, colour in enumerate(colours, start=1):
        page.get_by_label(f"Discs of side {number}").select_option(colour)
    if discs is not None:
        field = page.locator("#option_discs_singles")
        page.locator("details.topic", has=field).locator("summary").click()
        field.fill(str(discs))
    page.get_by_role("button", name="Start the match").first.click()
    expect(page.get_by_role("heading", name="Ann – Bob")).to_be_visible()


def play_round(server: RunningServer, first: Team, second: Team) -> None:
    """A round of one disc per side, as the referee sees it: 15 for the first shooter, 10 for the
    other.
    """
    record = services_of(server.app).recorder.on_event
    one, other = in_zone("a", first, 15), in_zone("b", second, 10)
    record(shot_event(0, first, one))
    record(shot_event(1, second, one, other, before=[one]))
    totals = {first.number: (15, 0), second.number: (10, 0)}
    record(round_event(totals[RED.number], totals[BLACK.number], shots=2))


def test_a_default_match_and_the_sample_clip_come_to_a_scored_round_with_one_tap(
    open_window: Callable[..., Page], server: RunningServer, show: Callable[[Page, str], None]
) -> None:
    scorer, room = open_window(scorer=True), open_window()
    begin(scorer)  # 8 discs per side, of which the clip shows 3
    for page in (room, scorer):
        page.goto("/")
    referee = call_sample_clip(server)
    while next(referee) != "shot":
        pass
    asked = "Red has shot. Who plays red?"
    expect(scorer.locator("#questions")).to_contain_text(asked)
    expect(room.locator("#next")).to_have_text(asked)
    expect(room.get_by_role("button", name="Ann")).to_have_count(0)
    show(scorer, "who-plays")
    # a player who was not expected to start
    scorer.get_by_role("button", name="Bob", exact=True).click()
    expect(scorer.locator("#questions")).not_to_contain_text(asked)
    for _ in referee:
        pass
    check_round(scorer, server, "Bob")
    show(scorer, "film-ended")


def test_the_sample_clips_calls_score_the_round_for_the_starter_with_one_tap(
    open_window: Callable[..., Page], server: RunningServer
) -> None:
    scorer = open_window(scorer=True)
    begin(scorer)
    scorer.goto("/")
    for _ in call_sample_clip(server):
        pass
    scorer.get_by_role("button", name="Ann", exact=True).click()
    check_round(scorer, server, "Ann")


def call_sample_clip(server: RunningServer) -> Iterator[str]:
    """The kinds of the referee's events on the sample clip, one by one, as they are entered. The
    recorded events are used; the tests of clips check that they equal the referee's.
    """
    recorder = services_of(server.app).recorder
    recorder.on_start(DEMO_CLIP)
    calls = list_clips()[DEMO_CLIP].with_name(f"{DEMO_CLIP}_events.jsonl")
    for line in calls.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        recorder.on_event(event)
        yield event["type"]


def check_round(scorer: Page, server: RunningServer, red: str) -> None:
    """Check that the round is scored for the right sides, depending on who plays red."""
    expect(scorer.locator("#history")).to_contain_text("50")
    said = "The video ended after 3 discs per side. Round 1 is scored from those discs."
    expect(scorer.locator("#questions")).to_contain_text(said)
    state = fold(services_of(server.app).store.log(1))
    points, colours = ((50, 20), ("red", "black"))  # as in the clip's truth
    is_swapped = red == "Bob"
    assert [result.points for result in state.rounds] == [points[::-1] if is_swapped else points]
    assert state.setup.colours == (colours[::-1] if is_swapped else colours)
    assert state.disputes == ()


def test_a_wrong_starter_is_said_and_changed_with_one_tap(
    open_window: Callable[..., Page], server: RunningServer, show: Callable[[Page, str], None]
) -> None:
    scorer, phone = open_window(scorer=True), open_window(scorer=True, device=PHONE)
    begin(scorer, discs=1, colours=("red", "black"))
    phone.goto("/match")
    scorer.goto("/")
    play_round(server, BLACK, RED)
    expect(scorer.locator("#history")).to_contain_text("15")
    assert fold(services_of(server.app).store.log(1)).rounds[0].points == (10, 15)
    services_of(server.app).recorder.on_event(shot_event(0, BLACK, in_zone("a", BLACK, 15)))
    asked = "Ann should have started, but Bob shot first. Who started?"
    expect(scorer.locator("#questions")).to_contain_text(asked)
    expect(phone.get_by_role("region", name="Question")).to_contain_text(asked)
    show(scorer, "who-started")
    show(phone, "who-started-match")
    phone.get_by_role("button", name="Ann started").tap()
    missed = scorer.locator("#questions .question")
    expect(missed).to_contain_text("Ann's shot before shot 2 was not seen")
    show(scorer, "missed-first")
    missed.get_by_role("button", name="Bob started").click()
    expect(scorer.locator("#questions")).to_be_hidden()
    state = fold(services_of(server.app).store.log(1))
    assert (state.round.starter, state.round.shot_count, state.disputes) == (1, 1, ())


def test_colours_swapped_by_mistake_are_put_right_on_the_page_of_the_match(
    scorer: Page, server: RunningServer, show: Callable[[Page, str], None]
) -> None:
    begin(scorer, discs=1, colours=("red", "black"))
    play_round(server, RED, BLACK)
    play_round(server, BLACK, RED)
    expect(scorer.get_by_role("cell", name="2", exact=True).first).to_be_visible()
    scorer.get_by_text("Disc colours and starting player").click()
    scorer.get_by_label("Discs for Ann").select_option("black")
    scorer.get_by_label("Discs for Bob").select_option("red")
    show(scorer, "put-colours-right")
    scorer.get_by_role("button", name="Correct the colours").click()
    expect(scorer.get_by_text("Undo: Disc colours")).to_be_visible()
    state = fold(services_of(server.app).store.log(1))
    assert [result.points for result in state.rounds] == [(10, 15), (15, 10)]
