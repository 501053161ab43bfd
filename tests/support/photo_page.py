"""Sends a photo on the page *Photo*, as a person does."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page


def send(page: Page, picture: Path) -> None:
    """Choose a photo and wait for its result."""
    page.goto("/score")
    page.locator("#photo").set_input_files(picture)
    page.wait_for_url(re.compile(r"/score/[\w-]{10,}$"))
    page.wait_for_selector(".result, .note.problem", timeout=90_000)
    page.wait_for_load_state()  # a tap before the page's script has loaded is lost
