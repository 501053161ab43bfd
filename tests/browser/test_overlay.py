"""The overlay over a stream's picture: composed on a page, with calls that appear and disappear."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from axe_faults import find_faults
from jpeg_film import draw_film
from paths import ROOT
from playwright.sync_api import Page, expect
from screen_sizes import PHONE
from watch_events import BLACK, RED, in_zone, shot_event

from calibration.json_text import to_plain
from scorer.match.events import FoulCalled, MatchStarted, RoundScored
from scorer.rules.checks import Fault
from scorer.rules.choices import CalledFoul, Format
from scorer.rules.fault_codes import FaultCode
from scorer.rules.judge_shot import Verdict
from webapp.server import RunningServer
from webapp.services import services_of

_NAME_PX = "parseFloat(getComputedStyle(document.querySelector('.name')).fontSize)"


def test_overlay_is_put_together_and_its_calls_come_and_go(
    server: RunningServer, open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    board = services_of(server.app).scoreboard
    number = board.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob")))
    page = open_window()
    page.goto("/overlay/choose")
    preview = page.frame_locator("#preview")
    expect(preview.locator(".line")).to_have_count(2)
    expect(preview.locator("#verdict")).to_contain_text("Ann did not touch an opponent's disc.")
    page.get_by_label("the round clock").check()
    parts = ("the board from above", "winning chances", "points and 20s per round")
    for part in parts:
        page.get_by_label(part).check()
    expect(preview.locator("#board")).to_be_visible()
    assert preview.locator("main").evaluate("e => e.getBoundingClientRect().top") >= 0
    show(page, "overlay-all-parts")
    for part in parts:
        page.get_by_label(part).uncheck()
    page.get_by_label("Score", exact=True).select_option("bar")
    page.get_by_label("Show calls for (seconds)").fill("1")
    page.get_by_label("or upload an image").set_input_files(
        ROOT / "webapp" / "static" / "icon-192.png"
    )
    expect(preview.locator("#clock")).to_be_visible()
    expect(preview.locator("#logo")).to_be_visible()
    assert find_faults(page) == []
    show(page, "overlay-choose")
    address = page.get_by_label("Address", exact=True).input_value()
    assert "parts=score,verdict,clock&" in address
    assert len(address) < 8000  # a small picture
    page.goto(address)
    assert urlsplit(page.url).fragment.startswith("logo=data")
    expect(page.locator("#logo")).to_be_visible()
    verdict = page.locator("#verdict")
    expect(verdict).to_be_empty()
    board.append(number, FoulCalled(player=1, foul=CalledFoul.ONE_CHEEK))
    expect(verdict).to_have_text("FoulBob left the chair.")
    expect(verdict).to_have_class("box foul is-gone")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    sizes = []
    for width, height in ((1920, 1080), (3840, 2160)):
        page.set_viewport_size({"width": width, "height": height})
        sizes.append(page.evaluate(_NAME_PX))
    assert sizes[0] >= 24
    assert sizes[1] == 2 * sizes[0]


@pytest.mark.parametrize(
    ("zoom", "text_px"),
    [(2, None), (1, 28)],
    ids=["page of twice the size", "text of twice the size"],
)
def test_overlay_fits_a_phone(
    open_window: Callable[..., Page], zoom: int, text_px: int | None
) -> None:
    page = open_window(device=PHONE)
    width, height = PHONE["viewport"]["width"], PHONE["viewport"]["height"]
    page.set_viewport_size({"width": width // zoom, "height": height // zoom})
    page.goto("/overlay?sample&parts=score,figures,verdict,odds,tournament")
    expect(page.locator(".line")).to_have_count(2)
    expect(page.locator("#verdict")).to_contain_text("Ann did not touch")
    if text_px:
        page.evaluate(f"document.documentElement.style.fontSize = '{text_px}px'")
    for part in page.locator(".total, #verdict, #odds, #tournament").all():
        edge_px = part.evaluate("(part) => part.getBoundingClientRect().right")
        assert edge_px <= width // zoom, part.inner_text()


def test_overlay_shows_averages_and_the_tournament(
    server: RunningServer, open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    board = services_of(server.app).scoreboard
    number = board.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob")))
    page = open_window(device=PHONE)
    page.goto("/overlay?parts=score,figures,tournament")
    expect(page.locator(".line")).to_have_count(2)
    expect(page.locator(".figures")).to_have_count(0)
    expect(page.locator("#tournament")).to_be_hidden()
    board.append(number, RoundScored(points=(45, 30), twenties=(1, 0)))
    board.append(number, RoundScored(points=(20, 30), twenties=(0, 1)))
    expect(page.locator(".figures").first).to_have_text("32.5 points and 0.5 twenties per round")
    page.goto("/overlay?parts=score,figures,tournament&sample")
    expect(page.get_by_label("Discs left: 6")).to_have_count(2)
    expect(page.locator("#tournament")).to_have_text("Club evening, Swiss, round 2")
    assert find_faults(page) == []
    show(page, "overlay-figures")


def test_screens_show_the_discs_left_and_the_points_needed(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    parts = services_of(server.app)
    setup = MatchStarted(
        rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("red", "black")
    )
    number = parts.scoreboard.begin(setup)
    parts.scoreboard.append(number, RoundScored(points=(45, 30), twenties=(1, 0)))
    overlay, phone = open_window(), open_window(device=PHONE)
    overlay.goto("/overlay?parts=score")
    phone.goto("/")
    expect(phone.locator(".needs")).to_have_text(["needs 85", "needs 100"])
    expect(overlay.locator(".line")).to_have_count(2)
    expect(overlay.locator(".pips")).to_have_count(0)
    parts.recorder.on_start("clip")
    parts.recorder.on_event(shot_event(0, BLACK, in_zone("b", BLACK, 10)))
    for page in (overlay, phone):
        expect(page.get_by_label("Discs left: 8")).to_be_visible()
        expect(page.get_by_label("Discs left: 7")).to_be_visible()
        assert find_faults(page) == []
    arrow = "getComputedStyle(document.querySelector('.has-turn .name'), '::before').content"
    assert "▸" in overlay.evaluate(arrow)  # seen without colours, too
    expect(overlay.locator(".head")).to_have_text("Round 2first to 100matchthis round")
    parts.scoreboard.append(number, RoundScored(points=(0, 10), twenties=(0, 0)))
    expect(overlay.locator(".pips")).to_have_count(0)


def test_overlay_plays_a_foul_again_slowly_once_and_then_goes(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    recorder = services_of(server.app).recorder
    page = open_window()
    page.goto("/overlay?parts=replay,verdict")
    replay = page.locator("#replay")
    expect(replay).to_be_hidden()
    recorder.on_start("clip")
    page.evaluate(
        "const told = document.body.dataset; told.shown = ''; new MutationObserver(() => {"
        "told.shown += `${replay.hidden ? 'gone' : 'there'} at ${replay.playbackRate}, `;"
        "}).observe(replay, { attributeFilter: ['hidden'] })"
    )
    fault = Fault(code=FaultCode.NO_CONTACT, rule="Touch one.", evidence={"touched": []})
    fouled = in_zone("b", BLACK, 10)
    film = draw_film([0.1 * k for k in range(8)])
    recorder.on_event(shot_event(0, RED, fouled), film)  # a legal shot: not shown again
    foul = shot_event(
        1, BLACK, fouled, verdict=Verdict.FOUL, faults=[fault], remove=[fouled], before=[fouled]
    )
    recorder.on_event(foul, film)
    key = to_plain(services_of(server.app).scoreboard.state)["live"]["plan"]
    told = "there at 0.5, gone at 0.5, "
    expect(page.locator("body")).to_have_attribute("data-shown", told)
    expect(replay).to_have_attribute("src", f"/shots/{key}.mp4")
