"""Serious and critical faults that the accessibility checker axe finds on a page."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

#: Rules whose result depends on colours, and therefore on light or dark mode.
COLOUR_RULES = ("color-contrast", "link-in-text-block")
#: Passed checks make long answers, which are not needed.
_RUN = "async (options) => (await axe.run(options)).violations"


def find_faults(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """Serious and critical faults, one line each; of all rules, or of the named ones."""
    page.wait_for_load_state("load")  # colours are needed too
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    return [
        f"{page.url}: {found['id']}: {node['html'][:120]} {node['failureSummary']}"
        for found in page.evaluate(_RUN, options)
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"]
    ]
