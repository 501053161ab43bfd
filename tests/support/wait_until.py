"""Waiting in a page for what no element shows.

Playwright's ``wait_for_function`` evaluates its words anew at every look, which the pages' content
security policy forbids: it passes where they hold at once, and fails else. It awaits no promise.
"""

from __future__ import annotations

from playwright.sync_api import Page

#: An async function of the longest wait, ms; its words are compiled once.
_WAIT = """async (most_ms) => {
  const until_ms = performance.now() + most_ms;
  while (!(await (%s))) {
    if (performance.now() > until_ms) throw new Error("It did not come about.");
    await new Promise((done) => setTimeout(done, 50));
  }
}"""


def wait_until(page: Page, condition: str, *, most_ms: float = 30_000) -> None:
    """Wait until a JavaScript expression, or what it promises, is truthy.

    Raises ``playwright.sync_api.Error`` where it is not after ``most_ms``.
    """
    page.evaluate(_WAIT % condition, most_ms)
