"""The overlay over a stream's picture: put together on a page, and calls that come and go."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from paths import ROOT
from playwright.sync_api import Page, expect

from scorer.match.events import FoulCalled, MatchStarted
from scorer.rules.choices import CalledFoul, Format
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
    page.get_by_label("the round's clock").check()
    page.get_by_label("Score", exact=True).select_option("bar")
    page.get_by_label("A call stays, seconds").fill("1")
    page.get_by_label("or a picture of yours").set_input_files(
        ROOT / "webapp" / "static" / "icon-192.png"
    )
    expect(preview.locator("#clock")).to_be_visible()
    expect(preview.locator("#logo")).to_be_visible()
    serious = [
        each
        for each in Axe().run(page).response["violations"]
        if each["impact"] in ("serious", "critical")
    ]
    assert serious == []
    show(page, "overlay-choose")
    address = page.get_by_label("Its address", exact=True).input_value()
    assert "parts=score,verdict,clock&" in address
    assert len(address) < 8000  # a small picture
    page.goto(address)
    assert urlsplit(page.url).fragment.startswith("logo=data")
    expect(page.locator("#logo")).to_be_visible()
    verdict = page.locator("#verdict")
    expect(verdict).to_be_empty()
    with page.expect_response("**/clock"):
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
