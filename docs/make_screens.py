"""Pictures of the pages in a browser, for the tutorials: a live round, and a scored photograph.

``python docs/make_screens.py`` needs the extra ``dev`` and a browser
(``tests/support/find_chromium.py``).
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.find_chromium import find_chromium
from webapp.cli.demo_match import begin_demo
from webapp.config import Config
from webapp.server import RunningServer, serve_in_thread

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
PHOTO = ROOT / "sample_images" / "stills" / "oblique_birch_red_and_blue.jpg"
#: A round is half a minute long, and a busy machine is slow.
_PATIENCE_MS = 300_000


def main() -> None:
    """Make all of them."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        data = Path(folder)
        config = Config(port=0, database=str(data / "demo.db"), profiles=data / "profiles")
        with serve_in_thread(config) as server:
            _show_photo(browser, server)
            _show_live(browser, server)
        browser.close()


def _show_photo(browser: Browser, server: RunningServer) -> None:
    """A phone's page after it sent a photograph."""
    page = browser.new_page(viewport={"width": 390, "height": 844}, device_scale_factor=2)
    page.set_default_timeout(_PATIENCE_MS)
    page.goto(f"{server.address}/score")
    page.get_by_label("A photograph of the board").set_input_files(PHOTO)
    page.wait_for_url(re.compile(r"/score/[\w-]{10,}$"))
    page.wait_for_selector(".result")
    page.wait_for_load_state("networkidle")
    _save(page, "page_photo")


def _show_live(browser: Browser, server: RunningServer) -> None:
    """The scoreboard while the sample round is refereed, after its foul."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(_PATIENCE_MS)
    page.goto(server.address)
    begin_demo(server)  # at its own speed, so that the verdict's picture stands a moment
    page.locator("#verdict .call", has_text="Foul").wait_for()
    _save(page, "page_live")


def _save(page: Page, name: str) -> None:
    """Write the window as a small picture."""
    path = PICTURES / f"{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as shot:
        shot.convert("RGB").save(path.with_suffix(".webp"), quality=80, method=6)
    path.unlink()


if __name__ == "__main__":
    main()
