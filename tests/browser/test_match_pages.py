"""A match scored by hand in a browser: to its end, also by keyboard, and read-only for
spectators.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, Route, expect
from screen_sizes import PHONE
from watch_events import BLACK, board_event, disc

from scorer.match.events import MatchStarted, RoundScored
from scorer.match.fold import fold
from scorer.rules.choices import Format
from webapp.pages.match.presets import PRESETS
from webapp.server import RunningServer
from webapp.services import services_of


def begin(page: Page, rules: str = "nca", **options: str) -> None:
    page.goto(f"/match/new?rules={rules}")
    page.get_by_label("Player 1").fill("Ann")
    page.get_by_label("Player 2").fill("Bob")
    page.get_by_label("Discs of side 1").select_option("natural")
    page.get_by_label("Discs of side 2").select_option("black")
    for name, value in options.items():
        field = page.locator(f"#option_{name}")
        page.locator("details.topic", has=field).locator("summary").click()
        field.select_option(value)
    page.get_by_role("button", name="Start the match").first.click()
    expect(page.get_by_role("heading", name="Ann – Bob")).to_be_visible()


def score(page: Page, number: int, ann: dict[int, int], bob: dict[int, int]) -> None:
    enter = page.get_by_role("button", name=f"Enter round {number}")
    expect(enter).to_be_visible()  # earlier entries have been answered
    for side, discs in ((0, ann), (1, bob)):
        for zone, count in discs.items():
            page.locator(f"#count{side}_{zone}").fill(str(count))
    enter.click()
    expect(page.get_by_role("cell", name=str(number), exact=True).first).to_be_visible()


def test_whole_match_by_hand(
    server: RunningServer,
    open_window: Callable[..., Page],
    show: Callable[[Page, str], None],
) -> None:
    scorer = open_window(scorer=True, is_kept=True)
    board = open_window(reduced_motion="no-preference")
    board.goto("/")
    scorer.goto("/match/new")
    show(scorer, "match-new")
    begin(scorer)
    expect(board.locator(".side h2").first).to_contain_text("Ann")
    scorer.locator("#minutes").fill("20")
    scorer.get_by_role("button", name="Start round 1").click()
    expect(board.locator("#clock")).to_have_text(re.compile(r"^(20:00|19:\d\d)$"))
    scorer.get_by_role("button", name="Add a 20 for Ann").click()
    expect(board.locator(".side").first).to_contain_text("1")
    expect(scorer.locator("#count0_20")).to_have_value("1")
    call = scorer.get_by_role("button", name="Call the foul")
    scorer.get_by_label("Foul (NCA rules)").select_option("no-contact")
    penalty = "Remove the shooting disc and every disc it touched. A 20 from this shot does"
    expect(scorer.locator("#penalty")).to_contain_text(penalty)
    show(scorer, "match-foul")
    call.click()  # the fouling player is missing, so the browser asks
    assert "foul_called" not in [event.type for event in services_of(server.app).store.log(1)]
    scorer.get_by_label("Who", exact=True).select_option("Bob")
    call.click()
    expect(scorer.locator("#called")).to_contain_text("Bob did not touch an opponent's disc.")
    expect(scorer.locator("#called")).to_contain_text(penalty)
    expect(board.locator("#verdict")).to_contain_text(penalty)
    expect(scorer.get_by_text("1 called")).to_be_visible()
    scorer.get_by_label("What's in dispute?").fill("Was it a 20?")
    scorer.get_by_role("button", name="Record the dispute").click()
    scorer.get_by_label("The ruling").fill("Yes, and Ann's.")
    scorer.get_by_label("Give a 20 to", exact=True).select_option("Ann")
    show(scorer, "match-ruling")
    scorer.get_by_role("button", name="Save ruling", exact=True).click()
    expect(scorer.get_by_text("Decision: Yes, and Ann's.")).to_be_visible()
    expect(scorer.locator("#count0_20")).to_have_value("2")
    score(scorer, 1, {20: 3, 15: 2}, {10: 2})
    expect(board.locator(".total").first).to_have_text("70")
    show(scorer, "match-running")
    score(scorer, 2, {20: 1}, {15: 1})
    scorer.get_by_role("button", name=re.compile("Undo: Round scored")).click()
    expect(board.locator(".total").first).to_have_text("70")
    expect(scorer.locator("#count0_20")).to_have_value("1")
    expect(scorer.locator("#count1_15")).to_have_value("1")
    expect(scorer.locator("output").last).to_have_text("15")
    show(scorer, "match-taken-back")
    score(scorer, 2, {20: 2, 5: 1}, {15: 1})
    expect(board.locator(".next")).to_have_text("Ann won the match.")
    expect(board.locator(".total").first).to_have_text("100")
    show(board, "scoreboard-over")
    scorer.locator("summary", has_text="Correct round 2").click()
    scorer.locator("#p2_0").fill("40")
    scorer.get_by_role("button", name="Correct round 2").click()
    expect(board.locator(".total").first).to_have_text("95")
    log = services_of(server.app).store.log(1)
    assert [event.type for event in log].count("undone") == 1
    show(scorer, "match-over")


def test_match_in_the_menu_leads_to_a_new_match_before_the_first(
    scorer: Page, spectator: Page
) -> None:
    scorer.goto("/match")
    expect(scorer.get_by_role("button", name="Start the match").first).to_be_visible()
    spectator.goto("/match")
    expect(spectator.get_by_text("No matches yet.")).to_be_visible()


@pytest.mark.parametrize("width", [320, 360, 390])
def test_a_score_of_three_digits_is_whole_on_a_phone(
    server: RunningServer, spectator: Page, width: int
) -> None:
    board = services_of(server.app).scoreboard
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    board.append(board.begin(setup), RoundScored(points=(0, 120), twenties=(0, 6)))
    spectator.set_viewport_size({"width": width, "height": 700})
    spectator.goto("/")
    total = spectator.locator(".total").last
    expect(total).to_have_text("120")
    spills = (
        "(element) => { const range = document.createRange(); range.selectNodeContents(element);"
    )
    spills += " return range.getBoundingClientRect().right"
    spills += " - element.closest('.side').getBoundingClientRect().right; }"
    assert total.evaluate(spills) < 0


def test_a_phone_shows_the_score_after_a_round_and_shares_a_win(
    open_window: Callable[..., Page],
) -> None:
    phone = open_window(scorer=True, device=PHONE)
    begin(phone)
    for number, twenties, total in ((1, 2, 40), (2, 3, 100)):
        phone.locator("#count0_20").fill(str(twenties))
        phone.get_by_role("button", name=f"Enter round {number}").click()
        expect(phone.locator(".score .big").first).to_contain_text(str(total))
        expect(phone.locator(".score")).to_be_in_viewport(ratio=0.9)
    expect(phone.get_by_text("Ann won the match.")).to_be_visible()
    expect(phone.get_by_role("button", name="Rematch", exact=True)).to_be_in_viewport()
    phone.get_by_role("button", name="Share").click()
    expect(phone.get_by_role("img", name="Ann – Bob: 100 : 0")).to_be_in_viewport()
    phone.get_by_role("button", name="Save as PNG").wait_for()  # without reloading the page


def test_taps_before_the_answer_are_entered_too(open_window: Callable[..., Page]) -> None:
    scorer = open_window(scorer=True)
    begin(scorer)
    expect(scorer.locator("[data-step]").first).to_be_visible()  # the page's script has loaded
    held: list[Route] = []
    scorer.route("**/start", lambda route: held.append(route))
    scorer.get_by_role("button", name="Start round 1").dblclick()
    for _ in range(2):
        scorer.get_by_role("button", name="Add a 20 for Ann").click()
    (first,) = held
    first.continue_()
    expect(scorer.locator("#count0_20")).to_have_value("2")
    expect(scorer.get_by_role("button", name="Start round 1")).to_have_count(0)


def test_the_next_match_is_three_taps_and_a_rematch_is_one(
    scorer: Page, server: RunningServer, show: Callable[[Page, str], None]
) -> None:
    begin(scorer)
    scorer.goto("/match/new")
    for name in ("Bob", "Ann", "Start the match"):
        scorer.get_by_role("button", name=name, exact=True).click()
    expect(scorer.get_by_role("heading", name="Bob – Ann")).to_be_visible()
    scorer.goto("/match/new")
    scorer.get_by_label("Club").check()
    scorer.get_by_label("Player 1").fill("Ann")
    scorer.get_by_role("button", name="Options").click()
    expect(scorer.locator("#option_game_rounds")).to_have_value("4")
    expect(scorer.get_by_role("heading", name="Club: 4 rounds, 2 points per win")).to_be_visible()
    show(scorer, "match-new-options")
    scorer.get_by_role("link", name="Hide options").click()
    expect(scorer.get_by_label("Club")).to_be_checked()
    scorer.get_by_label("Player 1").fill("Ann")
    scorer.get_by_role("button", name="Options").click()
    scorer.get_by_label("Player 2").fill("Ann")
    expect(scorer.locator("#option_game_rounds")).to_be_hidden()
    scorer.get_by_text("Game length", exact=True).click()
    scorer.locator("#option_game_rounds").fill("1")
    scorer.get_by_role("button", name="Start the match").first.click()
    expect(scorer.get_by_role("alert")).to_contain_text("a different name")
    expect(scorer.get_by_role("heading", name="Club: 4 rounds, 2 points per win")).to_be_visible()
    expect(scorer.locator("#option_game_rounds")).to_have_value("1")
    show(scorer, "match-new-refused")
    scorer.get_by_label("Player 2").fill("Cid")
    scorer.get_by_role("button", name="Start the match").first.click()
    score(scorer, 1, {15: 2}, {})
    expect(scorer.get_by_text("Ann won the match.")).to_be_visible()
    scorer.get_by_role("button", name="Rematch, sides swapped").click()
    expect(scorer.get_by_role("heading", name="Cid – Ann")).to_be_visible()
    setups = services_of(server.app).store.recent_setups(4)
    assert [setup.colours for setup in setups[-2:]] == [("black", "natural"), ("natural", "black")]
    assert dict(setups[0].options)["game_rounds"] == 1


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "The match is tied between Ann and Bob."),
        ("de", "Das Match endet unentschieden zwischen Ann und Bob."),
        ("fr", "Match nul entre Ann et Bob."),
    ],
)
def test_a_tied_match_names_and_colours_no_winner(
    scorer: Page,
    server: RunningServer,
    language: str,
    words: str,
    show: Callable[[Page, str], None],
) -> None:
    board = services_of(server.app).scoreboard
    club = next(preset for preset in PRESETS if preset.key == "club")
    players, options = ("Ann", "Bob"), tuple(club.options)
    setup = MatchStarted(rules=club.rules, format=Format.TWO, players=players, options=options)
    number = board.begin(setup)
    for points in ((0, 0), (20, 0), (0, 20), (15, 15)):
        board.append(number, RoundScored(points=points, twenties=(0, 0)))
    scorer.goto(f"/match/{number}?lang={language}")
    expect(scorer.get_by_text(words)).to_be_visible()
    scorer.goto(f"/?tv&lang={language}")
    expect(scorer.locator("#next")).to_have_text(words)
    expect(scorer.locator(".total")).to_have_text(["4", "4"])
    expect(scorer.locator(".side.is-winner, .mark.turn")).to_have_count(0)
    expect(scorer.locator("#history .best")).to_have_text(["20", "20"])
    show(scorer, f"scoreboard-tied-{language}")


def test_keyboard_alone_runs_a_match(scorer: Page) -> None:
    def reach(words: str) -> None:
        for _ in range(120):
            scorer.keyboard.press("Tab")
            name = scorer.evaluate(
                "(e => e === document.body ? '' : e.getAttribute('aria-label')"
                " || e.labels?.[0]?.textContent || e.textContent)(document.activeElement)"
            )
            if words in " ".join(name.split()):
                return
        raise AssertionError(f"{words} cannot be reached by keyboard")

    scorer.goto("/match/new")
    reach("Player 1")
    scorer.keyboard.type("Ann")
    reach("Player 2")
    scorer.keyboard.type("Bob")
    reach("Start the match")
    scorer.keyboard.press("Enter")
    expect(scorer.get_by_role("heading", name="Ann – Bob")).to_be_visible()
    reach("Start round 1")
    scorer.keyboard.press("Enter")
    expect(scorer.get_by_role("button", name="Time ran out")).to_be_visible()
    reach("Ann, 20s")
    scorer.keyboard.press("ArrowUp")
    reach("Enter round 1")
    scorer.keyboard.press("Enter")
    expect(scorer.locator(".big").first).to_have_text("total 2")
    reach("Undo")
    scorer.keyboard.press("Enter")
    expect(scorer.locator(".big").first).to_have_text("total 0")


def test_loser_chooses_who_starts_where_the_rules_say_so(scorer: Page) -> None:
    begin(scorer, next_starter="loser-decides")
    score(scorer, 1, {15: 2}, {})
    scorer.get_by_label("Who starts").select_option("Ann")
    scorer.get_by_role("button", name="Set", exact=True).click()
    expect(scorer.get_by_text("Ann starts. Bob has the hammer.")).to_be_visible()
    begin(scorer)
    score(scorer, 1, {15: 2}, {})
    expect(scorer.get_by_label("Who starts")).to_have_count(0)


def test_shoot_out_decides_a_level_game(scorer: Page) -> None:
    begin(scorer, game_end="rounds")
    for number in range(1, 5):
        score(scorer, number, {15: 1}, {15: 1})
    scorer.locator("#twenties0").fill("3")
    scorer.locator("#twenties1").fill("2")
    scorer.get_by_role("button", name="Enter the shoot-out").click()
    expect(scorer.get_by_text("Ann won the match.")).to_be_visible()


def test_spectator_sees_the_match_and_cannot_write(
    server: RunningServer, scorer: Page, open_window: Callable[..., Page]
) -> None:
    begin(scorer)
    page = open_window()
    page.goto("/match/1")
    expect(page.get_by_role("heading", name="Ann – Bob")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("button")).to_have_count(0)
    score(scorer, 1, {15: 2}, {})
    expect(page.locator(".big").first).to_have_text("total 30")
    answer = page.request.post(f"{server.address}/match/1/undo", form={"csrf": "x"})
    assert answer.status == 401
    page = open_window()
    page.goto("/match/new")
    expect(page.get_by_role("heading", name="Only the scorer can do that")).to_be_visible()


def test_impossible_score_is_refused_in_a_sentence(scorer: Page) -> None:
    begin(scorer)
    scorer.locator("#count0_20").fill("8")
    scorer.locator("#count0_15").fill("8")
    scorer.get_by_role("button", name="Enter round 1").click()
    expect(scorer.get_by_role("alert")).to_contain_text(
        "Ann: you entered 16 discs, but this side has only 8."
    )


def test_a_round_is_entered_after_a_counted_shot_and_asked_about_when_nothing_is_counted(
    scorer: Page, server: RunningServer, show: Callable[[Page, str], None]
) -> None:
    scorer.goto("/match/new")
    begin(scorer)
    scorer.get_by_role("button", name="Start round 1").click()
    scorer.get_by_role("button", name="Ann has shot").click()
    expect(scorer.get_by_role("button", name="Bob has shot")).to_be_visible()
    show(scorer, "shot-counted")
    expect(scorer.get_by_role("button", name="Ann 20s: add one")).to_be_visible()  # the script runs
    enter = scorer.get_by_role("button", name="Enter round 1")
    enter.click()
    asked = scorer.get_by_text(
        "You have not entered any discs or 20s. Did nobody score in this round?"
    )
    expect(asked).to_be_visible()
    show(scorer, "nobody-scored")
    scorer.get_by_role("button", name="Leave it as it is").click()
    expect(asked).to_be_hidden()
    scorer.locator("#count0_15").fill("2")
    enter.click()
    expect(scorer.get_by_role("button", name="Enter round 2")).to_be_visible()
    scorer.get_by_role("button", name="Enter round 2").click()
    scorer.get_by_role("button", name="Yes, nobody scored").click()
    expect(scorer.get_by_role("button", name="Enter round 3")).to_be_visible()
    state = fold(services_of(server.app).store.log(1))
    assert [result.points for result in state.rounds] == [(30, 0), (0, 0)]


def test_pairs_have_team_names_on_every_screen(
    server: RunningServer,
    open_window: Callable[..., Page],
    show: Callable[[Page, str], None],
) -> None:
    scorer, board = open_window(scorer=True, device=PHONE), open_window()
    scorer.goto("/match/new")
    field = scorer.get_by_label("Team of 1 and 3")
    expect(field).to_be_hidden()
    scorer.get_by_label("Players", exact=True).select_option("teams")
    for number, name in enumerate(("Ann", "Bob", "Cid", "Dee"), start=1):
        scorer.get_by_label(f"Player {number}", exact=False).first.fill(name)
    field.fill("Owls & Co")
    show(scorer, "match-new-teams")
    scorer.get_by_role("button", name="Start the match").first.click()
    expect(scorer.get_by_role("heading", name="Owls & Co – Bob & Dee")).to_be_visible()
    scorer.get_by_text("Team names").click()
    scorer.locator("#teams").get_by_label("Bob & Dee").fill("owls & co")
    save = scorer.locator("#teams").get_by_role("button", name="Save")
    save.click()
    expect(scorer.get_by_text("Each team needs a different name.")).to_be_visible()
    scorer.locator("#teams").get_by_label("Bob & Dee").fill("Hawks")
    save.click()
    expect(scorer.get_by_role("heading", name="Owls & Co – Hawks")).to_be_visible()
    show(scorer, "match-teams")
    for address in ("/", "/?tv"):
        board.goto(address)
        expect(board.locator(".side .who").first).to_have_text(re.compile(r"Owls & Co\s*Ann & Cid"))
        expect(board.locator(".side .who").last).to_contain_text("Bob & Dee")
    board.goto("/overlay")
    expect(board.locator("#score")).to_contain_text("Hawks")
    board.goto("/matches?q=Cid")
    expect(board.get_by_role("link", name="Owls & Co – Hawks")).to_be_visible()
    parts = services_of(server.app)
    while not fold(parts.store.log(1)).is_over:
        parts.scoreboard.append(1, RoundScored(points=(100, 0), twenties=(0, 0)))
    scorer.goto("/match/1")
    expect(scorer.get_by_text("Owls & Co won the match.").first).to_be_visible()
    scorer.get_by_role("button", name="Rematch, sides swapped").click()
    expect(scorer.get_by_role("heading", name="Hawks – Owls & Co")).to_be_visible()
    setup = fold(parts.store.log(2)).setup
    assert (setup.players, setup.teams) == (("Bob", "Cid", "Dee", "Ann"), ("Hawks", "Owls & Co"))


def test_both_sides_counters_of_a_zone_are_in_one_line_on_a_phone(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    players = ("Wilhelmina Abercrombie", "Bob")
    setup = MatchStarted(rules="nca", format=Format.TWO, players=players)
    number = services_of(server.app).scoreboard.begin(setup)
    phone = open_window(scorer=True, device=PHONE)
    phone.goto(f"/match/{number}")
    for zone in (20, 15, 10, 5):
        counters = [phone.locator(f"#count{side}_{zone}") for side in (0, 1)]
        left, right = (each.evaluate("(it) => it.getBoundingClientRect().y") for each in counters)
        assert left == pytest.approx(right, abs=1)


def test_a_form_without_a_connection_stays_with_what_was_typed(
    open_window: Callable[..., Page],
) -> None:
    phone = open_window(scorer=True, device=PHONE)
    phone.goto("/match/new")
    phone.locator("#player0").fill("Ann")
    phone.locator("#player1").fill("Bob")
    phone.context.set_offline(True)
    start = phone.get_by_role("button", name="Start the match")
    start.click()
    expect(phone.get_by_role("alert")).to_contain_text("There is no connection")
    expect(phone.locator("#player1")).to_have_value("Bob")
    phone.context.set_offline(False)
    start.click()
    expect(phone.get_by_role("heading", name="Ann – Bob")).to_be_visible()


def test_a_server_on_this_device_needs_no_network(open_window: Callable[..., Page]) -> None:
    page = open_window(scorer=True)
    page.add_init_script("Object.defineProperty(navigator, 'onLine', { get: () => false })")
    page.goto("/match/new")
    page.locator("#player0").fill("Ann")
    page.locator("#player1").fill("Bob")
    page.get_by_role("button", name="Start the match").click()
    expect(page.get_by_role("heading", name="Ann – Bob")).to_be_visible()


def test_a_second_tap_over_a_slow_network_starts_no_second_match(
    server: RunningServer, scorer: Page
) -> None:
    def answer_late(route: Route) -> None:
        if route.request.method != "POST":
            route.continue_()
            return
        answer = route.fetch(max_redirects=0)
        scorer.wait_for_timeout(300)  # the answer is on its way while a person taps again
        with suppress(PlaywrightError):  # a page that sent a second request drops the first
            route.fulfill(response=answer)

    scorer.goto("/match/new")
    scorer.route("**/match/new", answer_late)
    scorer.locator("#player0").fill("Ann")
    scorer.locator("#player1").fill("Bob")
    start = scorer.get_by_role("button", name="Start the match")
    start.evaluate("(button) => { button.click(); setTimeout(() => button.click(), 150); }")
    expect(scorer.get_by_role("heading", level=1)).to_have_text("Ann – Bob")
    assert services_of(server.app).store.count() == 1


def open_new_match(
    server: RunningServer, open_window: Callable[..., Page], players: tuple[str, str]
) -> Page:
    """The scorer's phone, at the page of a match that begins."""
    setup = MatchStarted(rules="nca", format=Format.TWO, players=players)
    phone = open_window(scorer=True, device=PHONE)
    phone.goto(f"/match/{services_of(server.app).scoreboard.begin(setup)}")
    return phone


def test_counts_before_a_reload_are_added_up_for_both_sides(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    phone = open_new_match(server, open_window, ("Ann", "Bob"))
    phone.locator("#count0_15").fill("2")
    phone.locator("#count1_10").fill("3")
    phone.reload()
    expect(phone.locator("#count1_10")).to_have_value("3")
    assert phone.locator(".tally legend").all_inner_texts() == ["Ann: 30", "Bob: 30"]


def test_pages_fit_a_phone_with_text_of_twice_the_size(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Zoë Müller", "Łukasz"))
    number = services_of(server.app).scoreboard.begin(setup)
    services_of(server.app).boards.add_board("")
    phone = open_window(scorer=True, device=PHONE)
    phone.add_init_script(
        "addEventListener('DOMContentLoaded',"
        " () => { document.documentElement.style.fontSize = '200%'; })"
    )
    for address in ("/", f"/match/{number}", "/match/new"):
        phone.goto(address)
        expect(phone.locator("main")).to_contain_text("Müller")
        assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, address
    assert phone.locator("#player0").evaluate("(field) => field.clientWidth") > 200


def test_a_choice_that_fits_its_box_is_not_repeated_below_it(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    phone = open_new_match(server, open_window, ("Zoë Müller", "Łukasz"))
    expect(phone.locator("#who-starts, select[name=player]").first).to_be_visible()
    phone.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    assert phone.locator(".whole-choice").all_inner_texts() == []


def test_an_earlier_match_shows_no_board_of_the_one_that_a_camera_sees(
    server: RunningServer, scorer: Page
) -> None:
    parts = services_of(server.app)
    for players in (("Ann", "Bob"), ("Cid", "Dee")):
        setup = MatchStarted(
            rules="nca", format=Format.TWO, players=players, colours=("red", "black")
        )
        parts.scoreboard.begin(setup)
    parts.recorder.on_start("clip")
    parts.recorder.on_event(board_event(disc("d1", BLACK, (100.0, 0.0)), teams=(BLACK,)))
    scorer.goto("/match/2")
    expect(scorer.locator(".b-disc")).to_have_count(1)
    scorer.goto("/match/1")
    expect(scorer.get_by_role("button", name="Enter round 1")).to_be_visible()
    expect(scorer.get_by_role("heading", name="The board")).to_have_count(0)


def test_a_phone_s_first_visit_shows_a_board_and_one_next_step(
    open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    phone = open_window(scorer=True, device=PHONE)
    phone.goto("/")
    expect(phone.get_by_role("heading", name="No match yet")).to_be_visible()
    expect(phone.locator("#board .b-hole")).to_be_visible()
    expect(phone.locator("main .button.main:visible")).to_have_text("Start a match")
    show(phone, "first-visit")
