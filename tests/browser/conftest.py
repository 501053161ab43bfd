"""Starts a real browser and a real server; errors on a page fail its test.

Without a browser, these tests are skipped with a message.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from copied_databases import copy_databases
from find_chromium import find_chromium
from flask import Flask
from kept_process import keep_process
from paths import SCREENS
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from screen_sizes import DESKTOP, PHONE
from served_thread import serve_in_thread

from webapp.config import Config
from webapp.server import RunningServer

WANTS_PICTURES = "CROKINOLE_SCREENS" in os.environ
CHROMIUM = find_chromium()
#: Waits two frames, so that observers of sizes have run and drawn.
_NEXT_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
#: The browser needs no network of its own and no graphics card.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
#: Texts wider than their box, and the page itself if it is too wide.
_SPILLED = """() => {
  const words = "main :is(p, h1, h2, h3, dd, dt, label, button)";
  const spills = (element) => element.clientWidth && element.scrollWidth > element.clientWidth + 1
    && getComputedStyle(element).overflowX === "visible";
  const spilled = [...document.querySelectorAll(words)].filter(spills)
    .map((element) => element.outerHTML.slice(0, 120));
  const root = document.documentElement;
  return root.scrollWidth > root.clientWidth + 1 ? [...spilled, "the page"] : spilled;
}"""

#: Longest wait for something that a test expects on a page: two shared cores can be slow.
PATIENCE_MS = 30_000
expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of this folder if there is no browser."""
    if CHROMIUM:
        return
    reason = "needs a browser: `make chromium`, or name one in CROKINOLE_CHROMIUM"
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def launch() -> Iterator[Callable[..., Browser]]:
    """Starts a browser with additional arguments."""
    with sync_playwright() as playwright:
        started: list[Browser] = []

        def _launch(*arguments: str) -> Browser:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=[*ARGUMENTS, *arguments]
            )
            started.append(browser)
            return browser

        yield _launch
        for browser in started:
            browser.close()


@pytest.fixture(scope="session")
def browser(launch: Callable[..., Browser]) -> Browser:
    """The browser that most tests share; each test opens its own windows in it."""
    return launch()


@pytest.fixture(autouse=True)
def _parts_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a window request a style or script once instead of for every page, because such requests
    take half of a page's time.
    """
    monkeypatch.setattr(Flask, "get_send_file_max_age", lambda *_: 3600)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningServer]:
    """A server with an empty database."""
    keep_process(monkeypatch)
    copy_databases(monkeypatch)
    database, profiles = str(tmp_path / "matches.db"), tmp_path / "profiles"
    with serve_in_thread(Config(port=0, database=database, profiles=profiles)) as running:
        yield running


def let_in(context: BrowserContext, server: RunningServer) -> None:
    """Sign the windows of a context in as the scorer, as the join page does, without showing a
    page.
    """
    right = {"Authorization": f"Bearer {server.token}"}
    answer = context.request.post(
        f"{server.address}/join", form={"token": server.token}, headers=right, max_redirects=0
    )
    assert answer.status == 303, answer.text()


@pytest.fixture
def open_window(browser: Browser, server: RunningServer) -> Iterator[Callable[..., Page]]:
    """Opens a window as a spectator, or as the scorer; an error in its script fails the test.

    A match's page is stored for a lost connection only if a test asks for it with ``is_kept``,
    because storing fetches all its parts a second time. Animations are off unless a test asks for
    them, because celebrating a 20 takes seven times as long as showing it.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def _open(
        *,
        scorer: bool = False,
        is_kept: bool = False,
        device: dict[str, Any] = DESKTOP,
        **settings: Any,
    ) -> Page:
        context = browser.new_context(
            base_url=server.address,
            service_workers="allow" if is_kept else "block",
            **{"reduced_motion": "reduce", **device, **settings},
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        if scorer:
            let_in(context, server)
        return context.new_page()

    yield _open
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def scorer(open_window: Callable[..., Page]) -> Page:
    """A scorer's window at desktop size."""
    return open_window(scorer=True)


@pytest.fixture
def spectator(open_window: Callable[..., Page]) -> Page:
    """A spectator's window at desktop size."""
    return open_window()


@pytest.fixture
def show() -> Callable[[Page, str], None]:
    """Checks a page at phone and desktop size.

    No text may overflow its box, and no box the page. `make screens` also writes pictures of the
    page into an ignored folder, which takes longer than all the rest.
    """

    def _show(page: Page, name: str) -> None:
        before = page.viewport_size
        for device, size in (("phone", PHONE["viewport"]), ("desktop", DESKTOP["viewport"])):
            page.set_viewport_size(size)
            page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
            page.evaluate(_NEXT_FRAME)  # scripts then draw at the new size
            if WANTS_PICTURES:
                page.screenshot(path=SCREENS / f"{name}-{device}.png", full_page=device == "phone")
            assert page.evaluate(_SPILLED) == [], f"{name} on a {device}: words spill over"
        if before:
            page.set_viewport_size(before)

    return _show
