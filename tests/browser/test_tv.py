"""The scoreboard on a television: it always fits and can be read from four metres."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_faults import find_faults
from paths import SCREENS
from playwright.sync_api import Browser, Page, expect
from served_thread import serve_in_thread
from wait_until import wait_until
from watch_events import (
    BLACK,
    RED,
    blind_event,
    board_event,
    disc,
    round_event,
    shot_event,
    twenty_event,
)

from calibration.placed_disc import Team
from scorer.match.events import (
    Disputed,
    FoulCalled,
    MatchStarted,
    RoundScored,
    RoundStarted,
    Ruled,
    TimeRanOut,
    TwentyCounted,
)
from scorer.rules.checks import Fault
from scorer.rules.choices import CalledFoul, Format
from scorer.rules.fault_codes import FaultCode
from scorer.rules.judge_shot import Verdict
from webapp.config import Config
from webapp.live.live_state import Status
from webapp.server import RunningServer
from webapp.services import Services, services_of

NATURAL = Team(number=0, colour_rgb=(217, 167, 102), colour_name="natural")
TEAMS = (NATURAL, BLACK)
COLOURS = ("natural", "black")
#: Pictures are drawn if `make screens` requests them.
WANTS_PICTURES = "CROKINOLE_SCREENS" in os.environ
#: The longest allowed names.
LONG, LONGER = (
    "Wilhelmina Abercrombie-Featherstonehaugh",
    "Maximiliana Konstantinopolitanische-Grau",
)
#: The smallest size is last, because the next page is drawn at it.
TV_SIZES = ((3840, 2160), (1920, 1080), (1280, 720))
#: Positions of discs, mm, of the two sides in turn; the last is close to the 15-line.
PLACES_MM = ((10, 55), (30, 145), (-120, 80), (60, -40), (-70, -150), (180, 160), (0, -118))

#: Faults of a page: text under 48 px of 1920, elements outside the screen or their own box, and
#: overlapping parts.
FAULTS = """() => {
  const faults = [], smallest = innerWidth / 40 - 0.5;
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  const inside = (a, b) => a.left >= b.left - 2 && a.top >= b.top - 2 && a.right <= b.right + 2 && a.bottom <= b.bottom + 2;
  const root = document.documentElement, screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight) faults.push("the page scrolls");
  const walker = document.createTreeWalker(document.getElementById("hall"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const box = node.parentElement, words = node.textContent.trim();
    if (!words || !seen(box) || box.closest(".hidden-text, .quiet, noscript")) continue;
    const px = parseFloat(getComputedStyle(box).fontSize) * (box.ownerSVGElement ? box.getScreenCTM().a : 1);
    if (px < smallest) faults.push(`${px} px: ${words}`);
    const range = document.createRange();
    range.selectNode(node);
    // Digits have nothing below their line, for which a font leaves room all the same.
    const place = (box.matches(".total, #clock") ? box : range).getBoundingClientRect();
    const isCut = getComputedStyle(box).overflow === "hidden"; // on purpose, with an ellipsis
    if (!isCut && !inside(place, screen)) faults.push(`off the screen: ${words}`);
    const part = box.closest(".total, .facts, .side, .verdict, .alarm, .history, .next, .strip, .live-board, .empty");
    if (!isCut && part && !inside(place, (part.matches(".total") ? part.parentElement : part).getBoundingClientRect())) faults.push(`over its box: ${words}`);
  }
  const parts = [...document.querySelectorAll("#hall > *, .side > *")].filter((element) => seen(element) && element.getBoundingClientRect().height);
  for (const a of parts) for (const b of parts) {
    const [one, two] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
    const deep = Math.min(one.right, two.right) - Math.max(one.left, two.left) > 2 && Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 2;
    if (a.parentElement === b.parentElement && a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING && deep) faults.push(`${a.className} lies over ${b.className}`);
  }
  return faults;
}"""  # noqa: E501


@pytest.fixture(scope="module")
def parts_and_page(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Services, Page]]:
    """One server, and one television without input, whose clock does not run."""
    folder: Path = tmp_path_factory.mktemp("tv")
    config = Config(port=0, database=str(folder / "m.db"), profiles=folder / "profiles")
    with serve_in_thread(config) as running:
        context = browser.new_context(base_url=running.address, reduced_motion="reduce")
        yield services_of(running.app), context.new_page()
        context.close()


def begin(parts: Services, *players: str, form: Format = Format.TWO, rules: str = "nca") -> int:
    colours = COLOURS if form in (Format.TWO, Format.TEAMS) else ()
    setup = MatchStarted(rules=rules, format=form, players=players, colours=colours)
    return parts.scoreboard.begin(setup)


def score(parts: Services, number: int, *points: int, rounds: int = 1) -> None:
    for _ in range(rounds):
        event = RoundScored(points=points, twenties=tuple(point // 60 for point in points))
        parts.scoreboard.append(number, event)


def play_by_hand(parts: Services) -> Iterator[str]:
    """A match without a camera, from start to end; then others with more and longer names."""
    board = parts.scoreboard
    yield "idle"
    number = begin(parts, "Ann", "Bob")
    yield "begun"
    score(parts, number, 25, 20, rounds=5)
    board.append(number, RoundStarted(minutes=20))
    board.append(number, TwentyCounted(side=0))
    yield "five rounds and a clock"
    board.append(number, FoulCalled(player=0, foul=CalledFoul.OTHER_HAND))
    yield "foul called"
    board.append(number, Disputed(about="Is the disc on the left line a 15, or is it a 10?"))
    board.append(number, TimeRanOut())
    yield "foul, dispute and time out"
    board.append(number, Ruled(dispute=1, decision="It is a 10."))
    score(parts, number, 120, 15)
    yield "won"
    score(parts, begin(parts, LONG, LONGER), 35, 20, rounds=5)
    yield "long names"
    four = (LONG, "Bo", LONGER, "Dee Dee")
    score(parts, begin(parts, *four, form=Format.TEAMS), 25, 20, rounds=5)
    yield "long names of partners"
    alone = begin(parts, *four, form=Format.FOUR_ALONE, rules="family")
    score(parts, alone, 15, 10, 5, 20, rounds=5)
    yield "four alone"
    three = begin(parts, LONG, "Bob", "Cid", form=Format.THREE_SETS)
    score(parts, three, 45, 20, 5, rounds=2)
    board.append(three, FoulCalled(player=0, foul=CalledFoul.OTHER_HAND))
    yield "three and a foul"


def play_with_referee(parts: Services) -> Iterator[str]:
    """A refereed match, with all possible messages of the referee."""
    board, recorder = parts.scoreboard, parts.recorder
    discs = [disc(f"d{k}", TEAMS[k % 2], place) for k, place in enumerate(PLACES_MM)]
    rule = "NCA reference manual, Part 5, valid shot: direct contact with an opponent's disc."
    fault = Fault(code=FaultCode.NO_CONTACT, rule=rule, evidence={"touched": []})
    reason = "the board is hidden by something large and dark, perhaps a sleeve"
    advice = "Take it away, or move the camera so that the whole outer ring can be seen."
    for name, players, form in (
        ("two", ("Ann", "Bob"), Format.TWO),
        ("partners", (LONG, "Bo", LONGER, "Dee Dee"), Format.TEAMS),
    ):
        number = begin(parts, *players, form=form)
        recorder.on_start("clip")
        yield f"{name}: starting"
        score(parts, number, 25, 20, rounds=4)
        board.append(number, RoundStarted(minutes=10))
        recorder.on_event(board_event(teams=TEAMS))
        yield f"{name}: empty board"
        for k in range(7):
            recorder.on_event(shot_event(k, TEAMS[k % 2], *discs[: k + 1], teams=TEAMS))
        yield f"{name}: legal"
        recorder.on_event(twenty_event(NATURAL))
        gone = {"verdict": Verdict.FOUL, "faults": [fault], "remove": discs[1:2]}
        recorder.on_event(shot_event(7, BLACK, *discs, teams=TEAMS, **gone))  # type: ignore[arg-type]
        yield f"{name}: foul"
        ask = "Is it so that natural's disc met a post before it came to rest? Then it is a foul."
        asked = shot_event(
            8, NATURAL, *discs, verdict=Verdict.NEEDS_REVIEW, question=ask, teams=TEAMS
        )
        recorder.on_event(asked)
        yield f"{name}: question"
        recorder.on_event(blind_event(reason, advice))
        yield f"{name}: alarm"
        recorder.on_event(blind_event("", "", over=True))
        recorder.on_stop(Status.PAUSED)
        yield f"{name}: paused"
    recorder.on_stop(Status.OFF)


def test_everything_fits_a_television_in_every_state(
    parts_and_page: tuple[Services, Page],
) -> None:
    parts, page = parts_and_page
    faults: list[str] = []
    for play in (play_by_hand, play_with_referee):
        for state in play(parts):
            page.goto("/?tv")
            for width, height in TV_SIZES:
                page.set_viewport_size({"width": width, "height": height})
                found = page.evaluate(FAULTS)
                faults += [f"{state} at {width}x{height}: {fault}" for fault in found]
            if WANTS_PICTURES:
                name = state.replace(": ", "-").replace(" ", "-")
                page.screenshot(path=SCREENS / f"tv-{name}.png")
    assert not faults, "\n".join(faults)


def test_the_menu_covers_nothing_of_a_wide_scoreboard(
    parts_and_page: tuple[Services, Page],
) -> None:
    parts, page = parts_and_page
    begin(parts, "Ann", "Bob")
    page.goto("/")
    bottom_of_menu = "document.querySelector('.top').getBoundingClientRect().bottom"
    top_of_page = "document.querySelector('.strip').getBoundingClientRect().top"
    wait_until(page, f"0 < {bottom_of_menu} && {bottom_of_menu} <= {top_of_page}")
    page.locator("body.is-quiet").wait_for(state="attached")


@pytest.mark.parametrize("language", ["fr", "de"])
def test_longer_words_of_other_languages_fit_too(
    parts_and_page: tuple[Services, Page], language: str
) -> None:
    parts, page = parts_and_page
    faults: list[str] = []
    for state in play_with_referee(parts):
        if state in ("two: foul", "partners: question", "partners: alarm", "partners: paused"):
            page.goto(f"/?tv&lang={language}")
            page.locator("#sides[data-shape]").wait_for()
            for width, height in TV_SIZES:
                page.set_viewport_size({"width": width, "height": height})
                found = page.evaluate(FAULTS)
                faults += [f"{state} at {width}x{height}: {fault}" for fault in found]
            if WANTS_PICTURES:
                page.screenshot(path=SCREENS / f"tv-{language}-{state.replace(': ', '-')}.png")
    assert not faults, "\n".join(faults)


#: Hidden parts of a question: lines that its box cuts off.
CUT = """() => [...document.querySelectorAll(".next, .question .asked, .verdict > p, .alarm span")]
  .filter((element) => element.checkVisibility() && getComputedStyle(element).overflow === "hidden")
  .filter((element) => element.scrollHeight > element.clientHeight + 2)
  .map((element) => element.textContent)"""


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("is_scorer", [False, True])
def test_a_long_question_is_never_cut_off(
    open_window: Callable[..., Page], server: RunningServer, language: str, is_scorer: bool
) -> None:
    parts, page = services_of(server.app), open_window(scorer=is_scorer)
    players, colours = (LONG, LONGER), ("red", "black")
    faults: list[str] = []
    setup = MatchStarted(rules="nca", format=Format.TWO, players=players, colours=colours)
    number = parts.scoreboard.begin(setup)
    parts.recorder.on_start("clip")
    parts.recorder.on_event(shot_event(0, RED, disc("a", RED, (10, 55))))
    ended = [round_event((15, 0), (0, 0), shots=1, is_cleared=cleared) for cleared in (False, True)]
    about = "Is the disc of Wilhelmina that lies between the left posts a 15 or a 10? " * 3
    for step in (*ended, Disputed(about=about)):
        if isinstance(step, Disputed):
            parts.scoreboard.append(number, step)
        else:
            parts.recorder.on_event(step)
        page.goto(f"/?tv&lang={language}")
        expect(page.locator("body.is-asked, body:has(.next.is-open)")).to_have_count(1)
        for width, height in (*TV_SIZES, (1280, 800)):
            page.set_viewport_size({"width": width, "height": height})
            found = [*page.evaluate(CUT), *page.evaluate(FAULTS)]
            if is_scorer:  # a person who reads the question at a desk
                found = [fault for fault in found if " px: " not in fault]
            faults += [f"{width}x{height}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)


def test_a_question_with_buttons_leaves_room_for_what_a_side_has(
    open_window: Callable[..., Page], server: RunningServer
) -> None:
    parts, page = services_of(server.app), open_window(scorer=True)
    faults: list[str] = []
    for players, form in (
        (("Ann", "Bob"), Format.TWO),
        (("Ann", "Bob", "Cid", "Dee"), Format.TEAMS),
    ):
        number = begin(parts, *players, form=form)
        score(parts, number, 25, 20, rounds=2)
        parts.recorder.on_start("clip")
        discs = [disc(f"d{k}", TEAMS[k % 2], place) for k, place in enumerate(PLACES_MM)]
        fault = Fault(code=FaultCode.NO_CONTACT, rule="Touch one.", evidence={"touched": []})
        foul = {"verdict": Verdict.FOUL, "faults": [fault], "remove": discs[1:2]}
        parts.recorder.on_event(shot_event(0, BLACK, *discs[:2], teams=TEAMS, **foul))  # type: ignore[arg-type]
        parts.scoreboard.append(number, Disputed(about="Is it a 15, or a 10?", disc="d1"))
        page.goto("/?tv")
        expect(page.locator("body.is-asked")).to_have_count(1)
        for width, height in TV_SIZES:
            page.set_viewport_size({"width": width, "height": height})
            found = [fault for fault in page.evaluate(FAULTS) if " px: " not in fault]
            faults += [f"{form} at {width}x{height}: {fault}" for fault in found]
        parts.recorder.on_stop(Status.OFF)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("look", ["light", "dark", "stage"])
def test_twenty_has_its_moment_once_in_every_look(
    parts_and_page: tuple[Services, Page], look: str
) -> None:
    parts, page = parts_and_page
    number = begin(parts, "Ann", "Bob")
    parts.scoreboard.append(number, FoulCalled(player=0, foul=CalledFoul.COACHING))
    page.goto(f"/?look={look}")
    moment = page.locator("#moment")
    parts.scoreboard.append(number, TwentyCounted(side=0))
    expect(moment).to_have_text("20Ann")
    if WANTS_PICTURES:
        page.screenshot(path=SCREENS / f"tv-moment-{look}.png")
    expect(moment).to_be_hidden()
    page.reload()
    expect(page.locator(".facts").first).to_contain_text("20s: 1")
    expect(moment).to_be_hidden()
    expect(page.locator("#verdict")).to_contain_text("Ann was coached.")
    assert find_faults(page) == []


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ((60, 20), "★Ann wins the matchAnn 60, Bob 20"),
        ((20, 20), "The round is tiedAnn 20, Bob 20"),
    ],
    ids=["won", "drawn"],
)
def test_a_win_has_a_star_and_a_draw_has_none(
    parts_and_page: tuple[Services, Page], points: tuple[int, int], words: str
) -> None:
    parts, page = parts_and_page
    options = (("game_end", "rounds"), ("game_rounds", "1"), ("round_score", "simple"))
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"), options=options)
    number = parts.scoreboard.begin(setup)
    page.goto("/")
    parts.scoreboard.append(number, RoundScored(points=points, twenties=(0, 0)))
    expect(page.locator("#moment")).to_have_text(words)


#: Parts of a side that its row cuts off: its score, or lines of its name.
CUT_OFF = """() => [...document.querySelectorAll(".side")].flatMap((side) => {
  const row = side.getBoundingClientRect();
  const isCut = (part) => part.getBoundingClientRect().bottom > row.bottom + 2;
  return [...side.querySelectorAll(".total, .who h2 > span")].filter(isCut);
}).map((part) => part.textContent)"""


@pytest.mark.parametrize("is_live", [False, True], ids=["by hand", "refereed"])
@pytest.mark.parametrize("form", [Format.TWO, Format.TEAMS, Format.FOUR_ALONE])
def test_names_of_40_letters_leave_the_score_whole(
    parts_and_page: tuple[Services, Page], form: Format, is_live: bool
) -> None:
    parts, page = parts_and_page
    is_alone = form is Format.FOUR_ALONE
    names = [f"{name} Maximiliane von Hohenlohe-Langenburg"[:40] for name in ("Anna", "Bert")]
    names += [name[::-1] for name in names]
    rules = "family" if is_alone else "nca"
    number = begin(parts, *names[: 2 if form is Format.TWO else 4], form=form, rules=rules)
    score(parts, number, *([15, 10, 5, 20] if is_alone else [35, 20]), rounds=3)
    if is_live:
        parts.recorder.on_start("phone")
        parts.recorder.on_event(board_event(disc("a", RED, PLACES_MM[0])))
    faults: list[str] = []
    page.goto("/?tv&lang=de")
    page.locator("#sides[data-shape]").wait_for()
    for width, height in TV_SIZES:
        page.set_viewport_size({"width": width, "height": height})
        faults += [*page.evaluate(FAULTS), *page.evaluate(CUT_OFF)]
    if WANTS_PICTURES:
        page.screenshot(path=SCREENS / f"tv-40-letters-{form}-{is_live}.png")
    parts.recorder.on_stop(Status.OFF)
    assert faults == []
