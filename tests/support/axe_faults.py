"""What the accessibility checker axe holds for serious or critical on a page."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

#: The rules whose answer depends on colours, and so on whether a page is light or dark.
COLOUR_RULES = ("color-contrast", "link-in-text-block")
#: Answers about all that is well are long, and nobody reads them.
_RUN = "async (options) => (await axe.run(options)).violations"


def find_faults(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """Serious and critical faults, a line each; of all rules, or of those that are named."""
    page.wait_for_load_state("load")  # with its colours
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
