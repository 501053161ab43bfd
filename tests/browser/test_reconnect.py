"""The server restarts in the middle of a match: all browsers reconnect, and nothing is lost."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, expect
from served_thread import serve_in_thread

from scorer.match.events import MatchStarted, RoundScored
from scorer.rules.choices import Format
from webapp.config import Config
from webapp.services import services_of

PATIENCE_MS = 30_000


def test_nothing_is_lost_when_the_server_restarts(browser: Browser, tmp_path: Path) -> None:
    database, secret = str(tmp_path / "m.db"), tmp_path / "m.db.secret"
    config = Config(port=0, database=database, secret=secret)
    with serve_in_thread(config) as running:
        context = browser.new_context(base_url=running.address)
        room, scorer = context.new_page(), context.new_page()
        scorer.goto(f"/join#{running.token}")
        scorer.wait_for_url(f"{running.address}/")
        board = services_of(running.app).scoreboard
        setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
        number = board.begin(setup)
        room.goto("/")
        board.append(number, RoundScored(points=(45, 20), twenties=(1, 0)))
        expect(room.locator(".total").first).to_have_text("25")
    try:
        expect(room.locator("#lost")).to_be_visible(timeout=PATIENCE_MS)
        port = urlsplit(running.address).port
        assert port is not None
        again = Config(port=port, database=database, secret=secret)
        with serve_in_thread(again) as running:
            expect(room.locator("#lost")).to_be_hidden(timeout=PATIENCE_MS)
            expect(room.locator(".total").first).to_have_text("25")
            scorer.goto(f"/match/{number}")
            scorer.locator("#count0_15").fill("2")
            scorer.get_by_role("button", name="Enter round 2").click()
            expect(room.locator(".total").first).to_have_text("55")
    finally:
        context.close()
