"""No entry of a scorer is lost: with two scorers at once, without a connection, over a reload."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from kept_page import IS_KEPT
from playwright.sync_api import Locator, Page, Route, expect
from screen_sizes import PHONE
from wait_until import wait_until

from scorer.match.events import MatchError, MatchStarted, RoundScored, TwentyCounted
from scorer.match.scoring import check_round
from scorer.rules.choices import Format
from webapp.pages.match.match_form import check_counts
from webapp.server import RunningServer
from webapp.services import services_of

ANN, BOB = TwentyCounted(side=0), TwentyCounted(side=1)


@pytest.fixture
def match(server: RunningServer) -> int:
    """A new match."""
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    return services_of(server.app).scoreboard.begin(setup)


def add_twenty(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"Add a 20 for {name}", exact=True).click()


@pytest.mark.parametrize("place", ["form[action$='/undo']", "#notices"])
def test_a_round_taken_back_without_a_connection_keeps_its_counts(
    match: int, open_window: Callable[..., Page], place: str
) -> None:
    page = open_window(scorer=True, is_kept=True, device=PHONE)
    page.goto(f"/match/{match}")
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    wait_until(page, IS_KEPT)
    add_twenty(page, "Ann")
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    page.context.set_offline(True)
    add_twenty(page, "Bob")  # it is sent at once, so later entries wait unsent
    expect(page.get_by_text("1 entry waiting")).to_be_visible()
    page.locator("#count0_15").fill("2")
    page.locator("#count1_20").fill("3")
    page.get_by_role("button", name="Enter round 1").click()
    page.get_by_role("button", name="Enter round 2").wait_for()
    expect(page.locator("#count0_15")).to_have_value("0")
    page.locator(place).get_by_role("button", name="Undo").first.click()
    page.get_by_role("button", name="Enter round 1").wait_for()
    counts = [page.locator(f"#{field}") for field in ("count0_20", "count0_15", "count1_20")]
    for field, value in zip(counts, ("1", "2", "3"), strict=True):
        expect(field).to_have_value(value)
    expect(page.get_by_text("1 entry waiting")).to_be_visible()


def test_ten_taps_without_a_connection_are_entered_once_and_in_order(
    server: RunningServer, match: int, open_window: Callable[..., Page]
) -> None:
    page = open_window(scorer=True, is_kept=True, device=PHONE)
    page.goto(f"/match/{match}")
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    wait_until(page, IS_KEPT)
    page.context.set_offline(True)
    for name in ("Ann", "Bob", "Ann"):
        add_twenty(page, name)
    expect(page.get_by_text("3 entries waiting")).to_be_visible()
    expect(page.locator("#count0_20")).to_have_value("2")
    page.locator("#count0_15").fill("1")
    page.get_by_role("button", name="Enter round 1").click()
    page.get_by_role("button", name="Enter round 2").wait_for()
    for name in ("Bob", "Bob", "Ann", "Bob", "Bob", "Bob"):
        add_twenty(page, name)
    page.locator("#notices").get_by_role("button", name="Undo: Add a 20 for Bob").click()
    expect(page.get_by_text("9 entries waiting")).to_be_visible()
    add_twenty(page, "Bob")
    page.locator("#count1_10").fill("2")
    page.reload()
    expect(page.get_by_text("10 entries waiting")).to_be_visible()
    expect(page.locator("[data-twenties='1']")).to_have_text("5")
    expect(page.locator("#count1_10")).to_have_value("2")
    page.context.set_offline(False)
    expect(page.locator("#notices .waiting")).to_have_count(0)
    expect(page.locator(".big").first).to_have_text("total 35")
    expect(page.locator("#count1_10")).to_have_value("2")
    counts = ((2, 1, 0, 0), (1, 0, 0, 0))
    score = RoundScored(points=(55, 20), twenties=(2, 1), counts=counts)
    entered = services_of(server.app).store.log(match)[1:]
    assert entered == (ANN, BOB, ANN, score, BOB, BOB, ANN, BOB, BOB, BOB)


def test_two_scorers_at_once_lose_no_twenty_and_are_asked_where_they_differ(
    server: RunningServer, match: int, open_window: Callable[..., Page]
) -> None:
    one, other = open_window(scorer=True, is_kept=True), open_window(scorer=True)
    for page in (one, other):
        page.goto(f"/match/{match}")
    one.locator("#count0_15").fill("2")
    one.locator("#count1_20").fill("2")
    add_twenty(other, "Ann")
    expect(one.locator("[data-twenties='0']")).to_have_text("1")
    expect(one.locator("#count0_15")).to_have_value("2")
    add_twenty(other, "Bob")
    expect(one.locator("[data-twenties='1']")).to_have_text("1")
    one.get_by_role("button", name="Enter round 1").click()
    expect(one.get_by_role("alert").first).to_contain_text("Ann 1, Bob 1. You entered Ann 1, Bob 2")
    one.get_by_role("button", name="20s: Ann 1, Bob 2").click()
    expect(other.locator(".big").first).to_have_text("total 10")
    for page, discs in ((one, "1"), (other, "3")):
        page.get_by_role("button", name="Enter round 2").wait_for()
        page.locator("#count1_5").fill(discs)
    one.get_by_role("button", name="Enter round 2").click()
    expect(other.get_by_text("Someone else made an entry")).to_be_visible()
    other.get_by_role("button", name="Compare and choose").click()
    other.get_by_role("button", name="Change it to Ann 0, Bob 15").click()
    expect(one.locator(".big").nth(1)).to_have_text("total 15")
    log = services_of(server.app).store.log(match)
    assert [event.type for event in log[1:]] == [
        *["twenty_counted"] * 2, "round_scored", "round_scored", "round_corrected",
    ]  # fmt: skip


def count_apart(
    match: int, open_window: Callable[..., Page], times: int
) -> tuple[Page, Page, Locator]:
    """Two phones, of which one counts a 20 for Ann while the other, without a connection, counts
    some; and the question that the other then asks.
    """
    one, other = (open_window(scorer=True, device=PHONE) for _ in range(2))
    for page in (one, other):
        page.goto(f"/match/{match}")
    other.context.set_offline(True)
    for _ in range(times):
        add_twenty(other, "Ann")
    add_twenty(one, "Ann")
    expect(one.locator("[data-twenties='0']")).to_have_text("1")
    other.context.set_offline(False)
    return one, other, other.get_by_role("alert").filter(has_text="Add a 20 for Ann?")


def test_two_phones_that_count_the_same_20_are_asked_whether_it_is_one(
    match: int, open_window: Callable[..., Page]
) -> None:
    one, other, question = count_apart(match, open_window, 1)
    expect(question).to_contain_text("The count went from 0 to 1 in the meantime")
    question.get_by_role("button", name="Leave it as it is").click()
    expect(other.locator("[data-twenties='0']")).to_have_text("1")
    expect(question).to_have_count(0)
    add_twenty(other, "Ann")
    expect(one.locator("[data-twenties='0']")).to_have_text("2")


def test_20s_counted_without_a_connection_are_asked_about_in_one_question(
    match: int, open_window: Callable[..., Page]
) -> None:
    one, other, question = count_apart(match, open_window, 3)
    expect(question).to_contain_text("3 × Add a 20 for Ann")
    expect(question).to_have_count(1)
    add_twenty(other, "Bob")
    expect(one.locator("[data-twenties='1']")).to_have_text("1")
    question.get_by_role("button", name="2 × Add a 20").click()
    expect(one.locator("[data-twenties='0']")).to_have_text("3")
    expect(question).to_have_count(0)


def test_a_refusal_leaves_what_was_typed_and_a_second_tap_enters_nothing(
    server: RunningServer, match: int, open_window: Callable[..., Page]
) -> None:
    page = open_window(scorer=True)
    page.goto(f"/match/{match}")
    page.get_by_label("What's in dispute?").fill("Was it a 15?")
    services_of(server.app).scoreboard.append(match, RoundScored(points=(15, 0)))
    expect(page.locator(".big").first).to_have_text("total 15")
    page.locator("summary", has_text="Correct round 1").click()
    page.locator("#p1_0").fill("12")
    page.locator("#p1_0").press("Enter")
    page.locator("#p1_0").fill("155")
    page.get_by_role("button", name="Correct round 1").click()
    expect(page.locator(".fault:visible")).to_contain_text("Ann's 155 points do not add up")
    page.locator("#p1_0").fill("30")
    page.get_by_role("button", name="Correct round 1").dblclick()
    expect(page.locator(".big").first).to_have_text("total 30")
    expect(page.get_by_label("What's in dispute?")).to_have_value("Was it a 15?")
    assert len(services_of(server.app).store.log(match)) == 3


def test_the_browser_says_what_the_server_would(open_window: Callable[..., Page]) -> None:
    chosen = random.Random(7)
    cases = [
        [chosen.choice((8, 12)), {zone: chosen.randint(0, 5) for zone in (20, 15, 10, 5)},
         5 * chosen.randint(-1, 40) + chosen.choice((0, 0, 0, 2)), chosen.randint(-1, 13)]
        for _ in range(150)
    ]  # fmt: skip
    page = open_window()
    page.goto("/matches")
    told = page.evaluate(
        """async (cases) => {
          const { describeCountFault, describeRoundFault } =
            await import("/static/js/round_check.js");
          return cases.map(([most, counts, points, twenties]) => [
            describeCountFault("Ann", most, counts),
            describeRoundFault("Ann", most, points, twenties),
          ]);
        }""",
        cases,
    )
    assert told == [
        [count_fault(most, counts), round_fault(most, points, made)]
        for most, counts, points, made in cases
    ]
    assert {sentence is None for pair in told for sentence in pair} == {True, False}


def count_fault(most: int, counts: dict[int, int]) -> str | None:
    try:
        check_counts("Ann", most, counts)
    except MatchError as error:
        return str(error)
    return None


def round_fault(most: int, points: int, twenties: int) -> str | None:
    try:
        check_round((points,), (twenties,), (most,), ("Ann",))
    except MatchError as error:
        return str(error)
    return None


def test_an_entry_while_the_browser_gives_its_lock_back_is_sent(
    server: RunningServer, match: int, open_window: Callable[..., Page]
) -> None:
    page = open_window(scorer=True)
    page.add_init_script(
        "const request = navigator.locks.request.bind(navigator.locks);"
        "navigator.locks.request = async (name, ...rest) => {"
        " if (name !== 'crokinole.entries') return request(name, ...rest);"
        " await rest[0](); await new Promise((done) => { window.giveBack = done; }); }"
    )
    page.goto(f"/match/{match}")
    add_twenty(page, "Ann")
    wait_until(page, "window.giveBack")
    add_twenty(page, "Bob")
    page.evaluate("() => { const done = window.giveBack; window.giveBack = null; done(); }")
    wait_until(page, "window.giveBack")
    assert services_of(server.app).store.log(match)[1:] == (ANN, BOB)


def test_an_entry_that_the_server_cannot_save_waits_and_says_why(
    server: RunningServer, match: int, scorer: Page
) -> None:
    scorer.goto(f"/match/{match}")
    full = {"status": 503, "json": {"error": "The disk is full."}}
    scorer.route("**/twenty", lambda route: route.fulfill(**full), times=1)
    add_twenty(scorer, "Ann")
    expect(scorer.locator("#notices .waiting")).to_contain_text("The disk is full.")
    expect(scorer.locator("#notices .waiting")).to_have_count(0)
    assert services_of(server.app).store.log(match)[1:] == (ANN,)


def test_a_page_that_could_not_be_fetched_anew_follows_all_the_same(
    server: RunningServer, match: int, open_window: Callable[..., Page]
) -> None:
    page = open_window(scorer=True)
    page.goto(f"/match/{match}")
    failed: list[Route] = []

    def fail(route: Route) -> None:
        failed.append(route)
        route.fulfill(status=503, body="busy")

    page.route(f"**/match/{match}", fail, times=1)
    services_of(server.app).scoreboard.append(match, ANN)
    expect(page.locator("[data-twenties='0']")).to_have_text("1")
    assert len(failed) == 1


def test_a_button_that_is_pressed_while_others_enter_something_is_clicked(
    server: RunningServer, match: int, open_window: Callable[..., Page]
) -> None:
    page = open_window(scorer=True)
    page.goto(f"/match/{match}")
    page.get_by_role("button", name="Add a 20 for Ann", exact=True).hover()
    page.mouse.down()
    with page.expect_response(f"**/match/{match}"):
        services_of(server.app).scoreboard.append(match, BOB)
    page.wait_for_timeout(100)
    page.mouse.up()
    for side in (0, 1):
        expect(page.locator(f"[data-twenties='{side}']")).to_have_text("1")


def test_what_is_typed_replaces_a_count_where_the_page_followed_meanwhile(
    server: RunningServer, match: int, open_window: Callable[..., Page]
) -> None:
    page = open_window(scorer=True)
    page.goto(f"/match/{match}")
    page.locator("#count0_15").select_text()
    services_of(server.app).scoreboard.append(match, BOB)
    expect(page.locator("[data-twenties='1']")).to_have_text("1")
    page.keyboard.insert_text("2")
    expect(page.locator("#count0_15")).to_have_value("2")


def test_an_entry_into_a_match_of_another_board_keeps_no_other_waiting(
    server: RunningServer, match: int, open_window: Callable[..., Page]
) -> None:
    parts = services_of(server.app)
    if not parts.boards.has(2):
        parts.boards.add_board("")
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Cid", "Dee"))
    own = parts.boards.get(2).scoreboard.begin(setup)
    page = open_window()
    page.goto(f"/boards/2/join#{parts.secret.board_code(2)}")
    page.get_by_role("link", name="Match", exact=True).first.wait_for()
    page.goto(f"/match/{own}")
    waiting = {"match": match, "action": "twenty", "words": "One 20", "key": "a.b"}
    waiting["fields"] = {"side": "0", "change": "1", "key": "a.b"}
    page.evaluate(
        "(it) => localStorage.setItem('crokinole.entries', JSON.stringify([it]))", waiting
    )
    add_twenty(page, "Cid")
    expect(page.locator("#notices .waiting")).to_have_count(0)
    expect(page.locator("[data-twenties='0']")).to_have_text("1")
    wait_until(page, "JSON.parse(localStorage.getItem('crokinole.entries')).length === 1")
    assert services_of(server.app).store.log(own)[1:] == (ANN,)
    assert services_of(server.app).store.log(match)[1:] == ()
