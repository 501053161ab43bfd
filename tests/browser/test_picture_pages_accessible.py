"""The pages about pictures, for people with impaired sight or pointing: axe finds no serious
fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from axe_faults import find_faults
from playwright.sync_api import Page
from screen_sizes import DESKTOP, PHONE

from sample_images import __file__ as _samples

STILLS = Path(_samples).parent / "stills"
CLOSE = STILLS / "near_lines_on_both_sides.jpg"


def test_no_page_about_pictures_has_a_serious_fault(open_window: Callable[..., Page]) -> None:
    page = open_window(scorer=True)
    found: list[str] = []

    def look() -> None:
        """The page at desktop size in light mode, and at phone size in dark mode."""
        for screen, scheme in ((PHONE, "dark"), (DESKTOP, "light")):
            page.set_viewport_size(screen["viewport"])
            page.emulate_media(color_scheme=scheme)
            found.extend(find_faults(page))

    page.goto("/score")
    look()
    page.get_by_label("Photo of the board").set_input_files(CLOSE)
    page.wait_for_url(re.compile(r"/score/[\w-]{10,}$"))
    page.wait_for_selector(".result", timeout=90_000)
    look()
    page.goto(f"{page.url}/disc/1")
    look()
    page.get_by_role("button", name="This is not a disc").click()
    look()
    page.get_by_role("link", name="Add a disc").click()
    look()
    page.goto("/calibrate")
    look()
    page.get_by_label("Photo of the board").set_input_files(CLOSE)
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector(".steps", timeout=90_000)
    look()
    page.get_by_role("button", name="Yes, they match").click()
    page.get_by_role("button", name="Measure one of each colour automatically").click()
    page.wait_for_selector(".sizes", timeout=90_000)
    look()
    page.get_by_role("button", name="Continue", exact=True).click()
    look()
    page.get_by_role("button", name="Skip").click()
    look()
    page.get_by_role("button", name="Continue", exact=True).click()
    look()
    page.get_by_label("Profile name").fill("Club")
    page.get_by_role("button", name="Save profile").click()
    page.wait_for_selector(".profiles")
    look()
    assert found == []
