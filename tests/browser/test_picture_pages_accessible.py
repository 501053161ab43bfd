"""The pages about pictures, for people who see or point differently: axe finds no serious fault."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from screen_sizes import DESKTOP, PHONE

from sample_images import __file__ as _samples

STILLS = Path(_samples).parent / "stills"
CLOSE = STILLS / "near_lines_on_both_sides.jpg"


def faults(page: Page) -> list[str]:
    """What axe holds for serious or critical, a line each."""
    page.wait_for_load_state("load")  # with its colours
    found = Axe().run(page).response["violations"]
    return [
        f"{page.url}: {each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


@pytest.mark.parametrize(
    "device",
    [DESKTOP, {**PHONE, "color_scheme": "dark"}],
    ids=["desk, light", "phone, dark"],
)
def test_no_page_about_pictures_has_a_serious_fault(
    open_window: Callable[..., Page], device: dict[str, Any]
) -> None:
    page = open_window(scorer=True, device=device)
    found: list[str] = []

    def look() -> None:
        found.extend(faults(page))

    page.goto("/score")
    look()
    page.get_by_label("A photograph of the board").set_input_files(CLOSE)
    page.wait_for_url(re.compile(r"/score/[\w-]{10,}$"))
    page.wait_for_selector(".result", timeout=90_000)
    look()
    page.goto(f"{page.url}/disc/1")
    look()
    page.get_by_role("button", name="It is no disc").click()
    look()
    page.get_by_role("link", name="Add a disc").click()
    look()
    page.goto("/calibrate")
    look()
    page.get_by_label("A photograph of the board").set_input_files(CLOSE)
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector(".steps", timeout=90_000)
    look()
    page.get_by_role("button", name="They lie right").click()
    page.get_by_role("button", name="Measure one of each for me").click()
    page.wait_for_selector(".sizes", timeout=90_000)
    look()
    page.get_by_role("button", name="Go on", exact=True).click()
    look()
    page.get_by_role("button", name="Go on without").click()
    look()
    page.get_by_role("button", name="Go on", exact=True).click()
    look()
    page.get_by_label("What is this board called?").fill("Club")
    page.get_by_role("button", name="Keep the profile").click()
    page.wait_for_selector(".profiles")
    look()
    assert found == []
