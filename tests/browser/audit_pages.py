"""Visit every page, full of content, in a real browser, and list faults and costs.

In English, French and German, at phone and desktop size, in light and dark mode: all faults that
axe finds, pages wider than their screen, and errors of scripts. Then the costs of every page on a
fresh phone: first and largest paint in ms, layout shift, KiB transferred, requests. `make pages`
runs it; it exits with 1 if there is a fault; ``--pictures DIR`` saves screenshots.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from filled_server import fill
from find_chromium import find_chromium
from playwright.sync_api import Browser, Page, sync_playwright
from screen_sizes import DESKTOP, PHONE
from served_thread import serve_in_thread

from sample_images import __file__ as _samples
from webapp.config import Config
from webapp.server import RunningServer
from webapp.services import services_of

_STILL = Path(_samples).parent / "stills" / "near_lines_on_both_sides.jpg"
_DEVICES = {"phone": PHONE, "desk": DESKTOP}
_READING_MS = 120_000
#: A page's costs: navigation, all its requests, and the results of its observers.
_COST = """() => new Promise((done) => {
  let shift = 0, largest_ms = 0;
  const observe = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take))
    .observe({ type, buffered: true });
  observe("layout-shift", (each) => { if (!each.hadRecentInput) shift += each.value; });
  observe("largest-contentful-paint", (each) => { largest_ms = each.startTime; });
  setTimeout(() => {
    const fetched = ["navigation", "resource"]
      .flatMap((kind) => performance.getEntriesByType(kind));
    const [first] = performance.getEntriesByName("first-contentful-paint");
    const bytes = fetched.reduce((sum, each) => sum + each.transferSize, 0);
    done({ first_ms: first?.startTime ?? 0, largest_ms, shift, weight_kib: bytes / 1024,
      requests: fetched.length });
  }, 1000);
})"""


def list_addresses(number: int) -> list[str]:
    """Every page of a filled server that needs no photo."""
    pages = (
        f"/ /?tv /?look=stage /match/{number} /match/new /match/new?rules=nca /matches"
        " /matches?q=nobody /players /player?name=Ann /practice /practice/1 /practice/3 /score"
        " /referee /camera /calibrate /overlay /overlay?parts=score,verdict,clock,board"
        " /overlay/choose /tournaments /tournaments/1 /tournaments/1/wall /tournaments/new"
        " /tournaments/ratings /tournaments/season /tournaments/1/result"
        " /tournaments/1/players/0 /tournaments/1/print/pairings /accuracy"
        f" /match/{number}/analysis /match/1"
        " /boards /boards/print /help /join /api/v1/docs /no-such-page"
    )
    return pages.split()


def read_photo(page: Page) -> list[str]:
    """The pages of a photo that was read, and of a board that is being measured."""
    page.goto("/score")
    page.locator("input[type=file]").first.set_input_files(_STILL)
    page.wait_for_url(re.compile(r"/score/[\w-]{10,}$"))
    page.wait_for_selector(".result", timeout=_READING_MS)
    photo = page.url
    page.goto("/calibrate")
    page.locator("input[type=file]").first.set_input_files(_STILL)
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector(".steps", timeout=_READING_MS)
    return [photo, f"{photo}/disc/1", f"{photo}/add", page.url]


def join(browser: Browser, server: RunningServer, **settings: Any) -> Page:
    """A scorer's window."""
    page = browser.new_context(base_url=server.address, **settings).new_page()
    page.set_default_timeout(_READING_MS)
    page.goto(f"/join#{server.token}")
    page.wait_for_url(lambda url: "/join" not in url)
    return page


def find_faults(page: Page) -> Iterator[str]:
    """All findings of axe, of any gravity; and pages wider than their screen."""
    page.wait_for_load_state("load")
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    for found in Axe().run(page).response["violations"]:
        for node in found["nodes"]:
            yield f"{found['impact']} {found['id']}: {node['html'][:140]}"
    if page.evaluate("document.documentElement.scrollWidth > innerWidth + 1"):
        yield "wider than the screen"


def walk(
    browser: Browser, server: RunningServer, addresses: list[str], pictures: Path | None
) -> list[str]:
    """Visit every page in every language, device and scheme; returns the faults without
    duplicates.
    """
    faults: dict[str, None] = {}
    for language, device, scheme in product(("en", "fr", "de"), _DEVICES, ("light", "dark")):
        page = join(browser, server, **_DEVICES[device], locale=language, color_scheme=scheme)
        name = f"{language}, {device}, {scheme}"
        complaints: list[str] = []
        page.context.on("weberror", lambda error, told=complaints: told.append(str(error.error)))
        for address in addresses:
            page.goto(address)
            found = [*find_faults(page), *complaints]
            complaints.clear()
            short = address.removeprefix(server.address)
            faults |= {f"{short} ({name}): {each}": None for each in found}
            if pictures:
                file = re.sub(r"\W+", "_", short).strip("_") or "home"
                page.screenshot(
                    path=pictures / f"{file}-{name.replace(', ', '-')}.png", full_page=True
                )
        print(f"{name}: {len(addresses)} pages, {len(faults)} faults so far", flush=True)
        page.context.close()
    return list(faults)


def measure(browser: Browser, server: RunningServer, addresses: list[str]) -> None:
    """Print the cost of every page for a phone that has never opened it."""
    print(f"{'page':44} first ms  largest ms  shift   KiB  requests")
    for address in addresses:
        page = join(browser, server, **PHONE)
        cookies = page.context.cookies()
        page.context.close()
        context = browser.new_context(base_url=server.address, **PHONE, service_workers="block")
        context.add_cookies(cookies)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(address)
        cost = page.evaluate(_COST)
        paints = f"{cost['first_ms']:8.0f} {cost['largest_ms']:11.0f}"
        print(
            f"{address.removeprefix(server.address):44} {paints} {cost['shift']:6.3f}"
            f" {cost['weight_kib']:5.0f} {cost['requests']:9}",
            flush=True,
        )
        context.close()


def main() -> int:
    """The exit code: 1 if a page has a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=Path, help="keep a picture of every page here")
    chosen = parser.parse_args()
    if chosen.pictures:
        chosen.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        config = Config(
            port=0,
            database=f"{folder}/m.db",
            profiles=Path(folder) / "profiles",
            is_rate_limit_off=True,
        )
        with serve_in_thread(config) as server, sync_playwright() as playwright:
            addresses = list_addresses(fill(services_of(server.app)))
            browser = playwright.chromium.launch(
                executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"]
            )
            page = join(browser, server, locale="en")
            addresses += read_photo(page)
            faults = walk(browser, server, addresses, chosen.pictures)
            print(*faults, sep="\n")
            measure(browser, server, addresses)
            browser.close()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
