"""The round clock: every page shows the server's time, whenever it opened and whatever its own
clock shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from playwright.sync_api import Page, expect
from screen_sizes import DESKTOP, PHONE

from scorer.match.events import MatchStarted, RoundStarted
from scorer.rules.choices import Format
from webapp.server import RunningServer
from webapp.services import services_of

#: A device whose clock is 97 s ahead; the true time is kept for the test.
_WRONG_DATE = "window.rightNow = Date.now; Date.now = () => rightNow.call(Date) + 97000;"

#: Error of a page's estimate of the server's time, ms; server and browser share a computer here.
_ERROR_MS = """async () => {
  const clock = await import("/static/js/server_clock.js");
  await clock.clockIsMeasured();
  return clock.serverNow_ms() - (window.rightNow ?? Date.now).call(Date);
}"""
#: Error of the page's clock, s.
_SHOWN_ERROR_S = """async () => {
  const { describeClock } = await import("/static/js/round_clock.js");
  const { match } = await (await fetch("/api/v1/state")).json();
  const seconds = (words) => words.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
  const right = describeClock(match, (window.rightNow ?? Date.now).call(Date)).words;
  return seconds(document.getElementById("clock").textContent) - seconds(right);
}"""


def test_five_pages_show_the_server_s_clock_within_a_fifth_of_a_second(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    parts = services_of(server.app)
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    number = parts.scoreboard.begin(setup)
    parts.scoreboard.append(number, RoundStarted(minutes=10))
    # After a long time without events, a page that opens late gets a state made then.
    state = replace(parts.scoreboard.state, now="2026-01-01T00:00:00.000+00:00")
    parts.boards.first().broker.publish(None, state)
    first = open_window()
    pages = [first, open_window(), open_window(), *(first.context.new_page() for _ in range(2))]
    pages[1].add_init_script(_WRONG_DATE)
    for page in pages:
        page.goto("/overlay?parts=clock" if page is pages[2] else "/")
    pages[4].context.set_offline(True)
    pages[4].context.set_offline(False)
    for page in pages:
        expect(page.locator("#clock")).to_be_visible()
        assert abs(page.evaluate(_ERROR_MS)) < 200
        assert abs(page.evaluate(_SHOWN_ERROR_S)) <= 1


def test_scorer_s_page_shows_the_clock_and_what_follows_when_time_is_out(
    server: RunningServer, open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    parts = services_of(server.app)
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    number = parts.scoreboard.begin(setup)
    phone = open_window(scorer=True, device=PHONE)
    phone.add_init_script(_WRONG_DATE)
    desk = open_window(scorer=True, device=DESKTOP)
    for page in (phone, desk):
        page.goto(f"/match/{number}")
        expect(page.get_by_role("button", name="Start round 1")).to_be_visible()
        expect(page.get_by_role("timer")).to_be_hidden()
    phone.get_by_label("minutes").fill("10")
    phone.get_by_role("button", name="Start round 1").click()
    for page in (phone, desk):
        expect(page.get_by_role("timer")).to_be_visible()
        assert abs(page.evaluate(_SHOWN_ERROR_S)) <= 1
    show(desk, "match-clock")
    desk.get_by_role("button", name="Time ran out").click()
    for page in (phone, desk):
        expect(page.get_by_role("timer")).to_have_text("Time!")
        expect(page.locator(".next")).to_have_text(
            "Time is up. The side with fewer shots takes one more, then the round is scored."
        )
        expect(page.locator(".score-side", has_text="Bob")).to_contain_text("hammer")
        expect(page.locator(".score-side", has_text="Ann")).not_to_contain_text("hammer")
        expect(page.get_by_role("button", name="Enter round 1")).to_be_visible()
    show(desk, "match-time-out")
