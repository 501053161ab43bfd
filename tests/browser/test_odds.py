"""Winning chances after every settled shot: on scoreboard, television and stream."""

from __future__ import annotations

from collections.abc import Callable

from axe_faults import find_faults
from playwright.sync_api import Page, expect
from screen_sizes import PHONE
from simulated_match import simulate_match

from scorer.match.events import Disputed, MatchStarted
from webapp.server import RunningServer
from webapp.services import services_of

_SHARES = "[...document.querySelectorAll('#odds rect')].map((r) => Number(r.getAttribute('width')))"


def test_screens_show_who_is_likely_to_win_where_they_are_asked_to(
    server: RunningServer, open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    setup, *shots = simulate_match(1)
    assert isinstance(setup, MatchStarted)
    board = services_of(server.app).scoreboard
    number = board.begin(setup)
    board.append(number, shots[0])
    page, phone = open_window(), open_window(device=PHONE)
    page.set_viewport_size({"width": 1920, "height": 1080})
    for screen, address in ((page, "/?tv"), (phone, "/")):
        screen.goto(address)
        expect(screen.locator(".side").first).to_contain_text("Ann")
        expect(screen.locator("#odds")).to_be_hidden()
    phone.get_by_role("button", name="Screen").click()
    phone.get_by_label("shown after every shot").check()
    phone.keyboard.press("Escape")
    page.goto("/?tv&odds=shown")
    overlay = open_window()
    overlay.goto("/overlay?parts=score,odds")
    for k in (1, 2, 3):
        board.append(number, shots[k])
    for screen in (page, phone, overlay):
        expect(screen.locator("#odds")).to_contain_text("to win")
        assert 99.5 < sum(screen.evaluate(_SHARES)) < 100.5
        assert find_faults(screen) == []
    show(page, "odds-tv")
    show(phone, "odds-phone")
    show(overlay, "odds-overlay")
    board.append(number, Disputed(about="Did it touch?"))
    for screen in (page, phone, overlay):
        expect(screen.locator("#odds")).to_be_hidden()
    phone.reload()
    expect(phone.locator(".side").first).to_contain_text("Ann")
    phone.get_by_role("button", name="Screen").click()
    expect(phone.get_by_label("shown after every shot")).to_be_checked()
