"""Tournaments in the browser: the wall always fits and advances by itself, and no page
overflows.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from axe_faults import find_faults
from played_tournaments import append_event, play_round, started, with_stage
from playwright.sync_api import Page, expect
from screen_sizes import DESKTOP, PHONE

from scorer.match.events import Disputed, MatchStarted
from scorer.rules.choices import Format
from scorer.tournament.events import EntryRenamed, ResultReported, RoundBegun, StageKind
from scorer.tournament.fold import fold
from scorer.tournament.pairing import pair_next_round
from webapp.live.scoreboard import now
from webapp.server import RunningServer
from webapp.services import services_of

#: Elements that are too high or too wide for the wall.
OVERFLOW = """() => {
  const root = document.documentElement;
  const spilled = [...document.querySelectorAll(".wall-page *")].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width && (box.right > innerWidth + 1 || box.bottom > innerHeight + 1);
  });
  return spilled.map((element) => element.outerHTML.slice(0, 80))
    .concat(root.scrollHeight > innerHeight + 1 ? ["the page"] : []);
}"""

MATCH = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"), at_board=3)
#: Shows only one part of the wall.
ALONE = """(part) => document.querySelectorAll("[data-turn]").forEach((element) => {
  element.hidden = element !== part;
})"""
#: Longer than the wall shows one part, ms.
TURN_MS = 15_100
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
#: Names that do not fit a line of a wall are truncated with dots.
CUT = """() => [...document.querySelectorAll(".wall-lines span")].filter((element) =>
  element.scrollWidth > element.clientWidth + 1).map((element) => element.textContent)"""
#: The least height of a letter that is read from 6 m, as a share of a television's height: 8.7 mm
#: (5 minutes of arc, 20/20 vision) and half as much again, on one of 55 inches (685 mm), for
#: capitals of 0.7 em.
READABLE_SHARE = 1.5 * 8.7 / 685 / 0.7


#: Truncated names of a bracket, and missing lines between its matches.
_BRACKET_FAULTS = """() => [
  ...[...document.querySelectorAll(".bracket p > span > span:first-child")].filter((name) =>
    name.scrollWidth > name.clientWidth + 1).map((name) => name.textContent),
  ...[...document.querySelectorAll(".bracket ol:not(:last-child) > li")].filter((match) =>
    parseFloat(getComputedStyle(match, "::after").borderRightWidth) < 1).map(() => "no line"),
]"""


def test_a_bracket_of_16_shows_whole_names_and_who_meets_whom(
    server: RunningServer, scorer: Page, show: Callable[..., None]
) -> None:
    log = with_stage(started(16, boards=8), StageKind.SINGLE_KNOCKOUT, range(16))
    long = "Maximiliane von Hohenstein-Oberdorf"
    log = append_event(log, EntryRenamed(entry=3, players=(long,)))
    log = (*log, pair_next_round(fold(log), 0))
    number = services_of(server.app).tournaments.create(log[0], log[1:], now=now())  # type: ignore[arg-type]
    scorer.goto(f"/tournaments/{number}")
    expect(scorer.locator(".bracket").get_by_text(long)).to_be_visible()
    assert scorer.evaluate(_BRACKET_FAULTS) == []
    show(scorer, "bracket-of-16")


#: Names of a wall that do not fit their box, on all of its parts in turn.
_CUT_NAMES = """async () => {
  const { fitNames } = await import("/static/js/wall_layout.js");
  const cut = [];
  for (const part of document.querySelectorAll("[data-turn]")) {
    document.querySelectorAll("[data-turn]").forEach((other) => { other.hidden = other !== part; });
    fitNames();
    for (const name of part.querySelectorAll(".fits")) {
      const line = name.closest("p") ?? name;
      const box = line.getBoundingClientRect(), card = line.parentElement.getBoundingClientRect();
      if (name.scrollWidth > name.clientWidth + 1 || line.scrollHeight > line.clientHeight + 1
        || box.right > innerWidth + 1 || box.bottom > card.bottom + 1) cut.push(name.outerHTML);
    }
  }
  return cut;
}"""


@pytest.mark.parametrize("rounds", [0, 3], ids=["first round", "podium"])
@pytest.mark.parametrize("kind", [StageKind.SWISS, StageKind.SINGLE_KNOCKOUT])
def test_a_tournament_s_wall_shows_names_of_40_letters_whole(
    server: RunningServer, open_window: Callable[..., Page], kind: StageKind, rounds: int
) -> None:
    log = with_stage(started(8, boards=8), kind, range(8), rounds=3)
    long = ("Bartholomew Featherstonehaugh-Smythe III", "Maximiliana von Hohenzollern-Sigmaringen")
    for entry in range(4):
        name = f"{long[entry % 2][:38]} {entry}"
        log = append_event(log, EntryRenamed(entry=entry, players=(name,)))
    for _ in range(rounds):
        log = play_round(log, 0, random.Random(3))
    if not rounds:
        log = append_event(log, pair_next_round(fold(log), 0))
    number = services_of(server.app).tournaments.create(log[0], log[1:], now=now())  # type: ignore[arg-type]
    wall = open_window(reduced_motion="reduce")
    wall.set_viewport_size({"width": 1920, "height": 1080})
    wall.goto(f"/tournaments/{number}/wall")
    expect(wall.locator(".fits").filter(visible=True).first).to_be_visible()
    assert wall.evaluate(_CUT_NAMES) == []
    assert wall.evaluate(OVERFLOW) == []


def test_a_phone_is_wide_enough_for_names_of_40_letters_on_every_page_of_a_tournament(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    log = with_stage(started(4, boards=2), StageKind.SINGLE_KNOCKOUT, range(4))
    for entry in range(4):
        name = f"Maximiliana von Hohenzollern-Sigmarinn {entry}"
        log = append_event(log, EntryRenamed(entry=entry, players=(name,)))
    tournaments = services_of(server.app).tournaments
    tournaments.create(log[0], (*log[1:], pair_next_round(fold(log), 0)), now=now())  # type: ignore[arg-type]
    for _ in range(2):
        log = play_round(log, 0, random.Random(3))
    tournaments.create(log[0], log[1:], now=now())  # type: ignore[arg-type]
    phone = open_window(scorer=True, device=PHONE)
    for number, page in product(
        (1, 2),
        ("", "/result", "/print/cards", "/print/pairings", "/print/standings", "/print/codes"),
    ):
        phone.goto(f"/tournaments/{number}{page}")
        width = phone.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["viewport"]["width"], f"{number}{page}"
        assert phone.evaluate("innerWidth") == PHONE["viewport"]["width"], f"{number}{page}"
        if "print" in page:
            expect(phone.get_by_role("button", name="Print", exact=True)).to_be_visible()


def test_a_tournament_without_players_asks_for_them_first(
    server: RunningServer, scorer: Page
) -> None:
    log = started(0)
    services_of(server.app).tournaments.create(log[0], log[1:], now=now())  # type: ignore[arg-type]
    scorer.goto("/tournaments/1")
    for name in ("Ann", "Bob"):
        scorer.get_by_label("Name of the late entry").fill(name)
        scorer.get_by_role("button", name="Add", exact=True).click()
        expect(scorer.locator("#leaving option", has_text=name)).to_have_count(1)
        expect(scorer.locator(".note.done")).to_have_text(f"{name} joined the tournament.")
    expect(scorer.get_by_role("button", name="Start the stage")).to_be_visible()


def test_a_swiss_with_more_rounds_than_opponents_warns_of_rematches(scorer: Page) -> None:
    scorer.goto("/tournaments/new")
    warning = scorer.locator("[data-rematches]")
    expect(warning).to_be_hidden()
    scorer.locator("#entries").fill("Ann\nBob\n\nCid\nDee\n")
    expect(warning).to_have_text("With 4 players, matches repeat after round 3.")
    scorer.locator("#rounds").fill("3")
    expect(warning).to_be_hidden()
    scorer.locator("#rounds").fill("5")
    scorer.locator("#entries").fill("Ann\nBob\nCid\nDee\nEve")  # with byes, five rounds
    expect(warning).to_be_hidden()
    scorer.locator("#rounds").fill("6")
    expect(warning).to_be_visible()
    scorer.locator("#kind").select_option("round_robin")
    expect(warning).to_be_hidden()


def test_a_page_that_cannot_be_renewed_raises_no_error_and_is_renewed_later(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    parts = services_of(server.app)
    log = with_stage(started(4), StageKind.SWISS, range(4), rounds=3)
    log = append_event(log, pair_next_round(fold(log), 0))
    number = parts.tournaments.create(log[0], log[1:], now=now())  # type: ignore[arg-type]
    page, errors = open_window(), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"/tournaments/{number}/wall")
    page.route("**/tournaments/*/events", lambda route: route.abort())
    for match in (0, 1):
        result = ResultReported(match=match, points=(8, 0), twenties=(0, 0))
        parts.tournaments.append(number, lambda _, result=result: [result], now=now())
        with page.expect_request(f"**/tournaments/{number}/events"):
            parts.boards.publish_tournament(number)
        if match == 0:
            page.wait_for_timeout(200)  # the refusal has reached the page
            page.unroute("**/tournaments/*/events")
    expect(page.locator("[data-tournament]")).to_contain_text("8")
    assert errors == []


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
        for part in wall.locator("[data-turn]").all():
            part.evaluate(ALONE)
            assert wall.evaluate(OVERFLOW) == []
    assert wall.locator(".wall-lines li").count() == 24 + 48
    scorer.goto(f"/tournaments/{number}")
    show(scorer, "tournament")
    scorer.set_viewport_size(PHONE["viewport"])
    standings = scorer.get_by_role("group", name="Standings")
    assert standings.evaluate("(element) => element.scrollWidth <= element.clientWidth")
    scorer.set_viewport_size(DESKTOP["viewport"])
    result = scorer.locator("form.result:visible").first
    expect(result.get_by_label("'s 20s").first).to_be_visible()
    assert find_faults(scorer) == []
    result.locator("select").select_option("8")
    result.get_by_role("button").click()
    expect(wall.locator(".wall-board.free")).to_have_count(1)


def test_the_wall_of_all_boards_shows_pairings_and_standings_in_turn(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    parts = services_of(server.app)
    log = with_stage(started(48, boards=24), StageKind.SWISS, range(48), rounds=3)
    log = append_event(log, pair_next_round(fold(log), 0))
    number = parts.tournaments.create(log[0], log[1:], now=now())  # type: ignore[arg-type]
    parts.boards.provide([f"Board {k + 1}" for k in range(24)])
    parts.boards.publish_tournament(number)
    parts.boards.reload()
    wall = open_window(reduced_motion="reduce")
    wall.set_viewport_size({"width": 1920, "height": 1080})
    wall.clock.install(time=BEGIN)
    # it turns when the test requests it, however busy the computer is
    wall.clock.pause_at(BEGIN + timedelta(seconds=1))
    wall.goto("/?tv")
    expect(wall.locator("a.wall-board")).to_have_count(24)
    shown = wall.locator("[data-turn]:visible")
    for name in ("Boards", "Pairings", "Pairings", "Standings", "Standings", "Boards"):
        expect(shown).to_have_attribute("aria-label", name)
        assert wall.evaluate(OVERFLOW) == []
        assert wall.evaluate(CUT) == []
        for words in shown.locator(".wall-side, .wall-board > p, li").all()[:3]:
            size_px = words.evaluate("(element) => parseFloat(getComputedStyle(element).fontSize)")
            assert size_px >= READABLE_SHARE * 1080
        wall.clock.run_for(TURN_MS)
    wall.clock.run_for(TURN_MS * 2)
    expect(shown.locator("li").first).to_contain_text("0")
    result = ResultReported(match=0, points=(8, 0), twenties=(0, 0))
    parts.tournaments.append(number, lambda _: [result], now=now())
    parts.boards.publish_tournament(number)
    expect(shown.locator("li").first).to_contain_text("8")
    parts.boards.get(3).scoreboard.begin(MATCH)
    parts.boards.get(3).scoreboard.append(1, Disputed(about="Was it legal?"))
    expect(wall.locator("#calls")).to_have_text("3: Needs a decision")


def test_the_wall_of_all_boards_keeps_its_menu_and_takes_no_turns_at_a_desk(
    server: RunningServer, spectator: Page
) -> None:
    parts = services_of(server.app)
    log = with_stage(started(4, boards=2), StageKind.SWISS, range(4), rounds=2)
    log = append_event(log, pair_next_round(fold(log), 0))
    number = parts.tournaments.create(log[0], log[1:], now=now())  # type: ignore[arg-type]
    parts.boards.provide(["Board 1", "Board 2"])
    parts.boards.publish_tournament(number)
    spectator.goto("/")
    expect(spectator.get_by_role("link", name="Tournaments")).to_be_visible()
    expect(spectator.locator("[data-turn]")).to_have_count(0)


def test_the_wall_of_a_small_tournament_fills_its_cards_and_makes_winners_bold_alone(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    log = with_stage(started(6, boards=3), StageKind.SWISS, range(6), rounds=2)
    log = append_event(log, pair_next_round(fold(log), 0))
    log = append_event(log, ResultReported(match=0, points=(8, 0), twenties=(1, 0)))
    number = services_of(server.app).tournaments.create(log[0], log[1:], now=now())
    wall = open_window(reduced_motion="reduce")
    wall.set_viewport_size({"width": 1920, "height": 1080})
    wall.goto(f"/tournaments/{number}/wall")
    expect(wall.locator(".wall-board")).to_have_count(3)
    share = """(card) => [...card.querySelectorAll("p")].reduce((sum, name) =>
      sum + parseFloat(getComputedStyle(name).fontSize), 0) / card.clientHeight"""
    assert wall.locator(".wall-board:not(.free)").first.evaluate(share) > 0.5
    assert wall.evaluate(OVERFLOW) == []
    wall.locator("[data-turn]").nth(1).evaluate(ALONE)
    weight = "(element) => getComputedStyle(element).fontWeight"
    played = wall.locator(".pairs .played span")
    assert [played.nth(k).evaluate(weight) for k in range(1, 5)] == ["800", "800", "400", "400"]


def test_a_refused_result_and_a_refused_list_of_names_are_still_there(
    server: RunningServer, scorer: Page
) -> None:
    log = with_stage(started(4, boards=2), StageKind.SWISS, range(4), rounds=2)
    log = append_event(log, pair_next_round(fold(log), 0))
    number = services_of(server.app).tournaments.create(log[0], log[1:], now=now())
    scorer.goto(f"/tournaments/{number}")
    form = scorer.locator("form.result").nth(1)
    form.locator("select").select_option("6")
    form.locator("[name=first_twenties]").fill("700")
    form.get_by_role("button").click()
    expect(scorer.locator(".note.problem")).to_contain_text("700")
    expect(form.locator("[name=first_twenties]")).to_have_value("700")
    expect(form.locator("select")).to_have_value("6")
    expect(scorer.locator("form.result").first.locator("[name=first_twenties]")).to_have_value("")
    scorer.goto("/tournaments/new")
    names = [f"Name {k}" for k in range(1, 43)]
    scorer.locator("#entries").fill("\n".join([*names, "Name 7"]))
    scorer.get_by_role("button", name="Start without pairing").click()
    expect(scorer.locator(".note.problem")).to_contain_text("Line 43")
    entries = scorer.locator("#entries")
    expect(entries).to_be_focused()
    chosen = "(field) => field.value.slice(field.selectionStart, field.selectionEnd)"
    assert entries.evaluate(chosen) == "Name 7"
    expect(entries).to_have_value("\n".join([*names, "Name 7"]))


def test_a_name_with_a_very_long_word_is_read_on_a_wall_like_other_long_names(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    names = ("Maximiliane Wolfeschlegelsteinhausen-Ott", "Jean-Baptiste de la Tour d'Auvergne-Noel")
    log = started(24, boards=12)
    for entry, name in enumerate(names):
        log = append_event(log, EntryRenamed(entry=entry, players=(name,)))
    log = with_stage(log, StageKind.SWISS, range(24), rounds=3)
    log = append_event(log, pair_next_round(fold(log), 0))
    tournaments = services_of(server.app).tournaments
    tournaments.create(log[0], log[1:], now=now())  # type: ignore[arg-type]
    wall = open_window(viewport={"width": 1920, "height": 1080})
    wall.goto("/tournaments/1/wall")
    sizes_px = [
        wall.locator(".wall-board .fits", has_text=name).evaluate(
            "(name) => parseFloat(getComputedStyle(name).fontSize)"
        )
        for name in names
    ]
    assert sizes_px[0] > 0.75 * sizes_px[1]
    assert wall.evaluate(OVERFLOW) == []
