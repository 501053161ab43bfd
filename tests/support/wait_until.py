"""Waits in a page for a condition that no element shows.

Playwright's ``wait_for_function`` evaluates its expression anew at every check, which the pages'
content security policy forbids: it passes if the condition holds at once, and fails otherwise. It
does not await promises.
"""

from __future__ import annotations

from playwright.sync_api import Page

#: An async function that waits at most this long, ms; its expression is compiled once.
_WAIT = """async (most_ms) => {
  const until_ms = performance.now() + most_ms;
  while (!(await (%s))) {
    if (performance.now() > until_ms) throw new Error("It did not come about.");
    await new Promise((done) => setTimeout(done, 50));
  }
}"""


def wait_until(page: Page, condition: str, *, most_ms: float = 30_000) -> None:
    """Wait until a JavaScript expression, or its promise, is truthy.

    Raises ``playwright.sync_api.Error`` if it is not after ``most_ms``.
    """
    page.evaluate(_WAIT % condition, most_ms)
