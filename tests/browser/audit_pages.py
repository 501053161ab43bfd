"""Visit every page, full of content, in a real browser, and list faults and costs.

In English, French and German, in light and dark mode, on phones of two widths, a desk and a TV:
all faults that axe finds, pages wider than their screen, cut-off texts, and errors of scripts.
Then the costs of every page on a fresh phone: first and largest paint in ms, layout shift, KiB
transferred, requests. `make pages` runs it; it exits with 1 if there is a fault; ``--pictures DIR``
saves screenshots.
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
from screen_sizes import PHONE
from served_thread import serve_in_thread

from sample_images import __file__ as _samples
from webapp.config import Config
from webapp.server import RunningServer
from webapp.services import services_of

_STILL = Path(_samples).parent / "stills" / "near_lines_on_both_sides.jpg"
#: Devices with the sizes of their window, px; axe looks at a page at the first of them.
_DEVICES: dict[str, tuple[dict[str, Any], tuple[tuple[int, int], ...]]] = {
    "phone": (PHONE, ((390, 844), (360, 740))),
    "desk": ({}, ((1280, 800), (1920, 1080))),
}
_READING_MS = 120_000
#: The page, if it is wider than its screen, and texts that leave the screen or that a box cuts off.
_CUT = """() => {
  const root = document.documentElement;
  const cuts = root.scrollWidth > innerWidth + 1 ? ["wider than the screen"] : [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const findCut = (line, box) => {
    const style = getComputedStyle(box), place = box.getBoundingClientRect();
    const isOut = (edge, part) => line.left < edge.left - part || line.right > edge.right + part;
    if (box === document.body) return isOut({ left: 0, right: innerWidth }, 2) && "off the screen";
    if (place.width < 3 || /auto|scroll/.test(style.overflow)) return false; // hidden, or scrolls
    const isBelow = line.bottom > place.bottom + line.height / 3;
    if (/hidden|clip/.test(style.overflow) && (isOut(place, 2) || isBelow)) return "cut off";
    return findCut(line, box.parentElement);
  };
  while (walker.nextNode()) {
    const text = walker.currentNode, range = document.createRange();
    const isDrawn = text.parentElement.closest("svg, script, noscript, option, .skip");
    if (isDrawn || !text.data.trim() || !text.parentElement.checkVisibility()) continue;
    range.selectNodeContents(text);
    const lines = [...range.getClientRects()];
    const [cut] = lines.map((line) => findCut(line, text.parentElement)).filter(Boolean);
    if (cut) cuts.push(`${cut}: ${text.data.trim().slice(0, 80)}`);
  }
  return cuts;
}"""
#: A page's costs: navigation, all its requests, and the results of its observers.
_COST = """() => new Promise((done) => {
  let shift = 0, largest_ms = 0;
  const observe = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take))
    .observe({ type, buffered: true });
  observe("layout-shift", (entry) => { if (!entry.hadRecentInput) shift += entry.value; });
  observe("largest-contentful-paint", (entry) => { largest_ms = entry.startTime; });
  setTimeout(() => {
    const fetched = ["navigation", "resource"]
      .flatMap((kind) => performance.getEntriesByType(kind));
    const [first] = performance.getEntriesByName("first-contentful-paint");
    const bytes = fetched.reduce((sum, entry) => sum + entry.transferSize, 0);
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
    """All findings of axe, of any gravity."""
    page.wait_for_load_state("load")
    page.evaluate(
        "document.querySelectorAll('details').forEach((element) => (element.open = true))"
    )
    for found in Axe().run(page).response["violations"]:
        for node in found["nodes"]:
            yield f"{found['impact']} {found['id']}: {node['html'][:140]}"


def walk(
    browser: Browser, server: RunningServer, addresses: list[str], pictures: Path | None
) -> list[str]:
    """Visit every page in every language, device and scheme; returns the faults without
    duplicates.
    """
    faults: dict[str, None] = {}
    for language, device, scheme in product(("en", "fr", "de"), _DEVICES, ("light", "dark")):
        settings, sizes = _DEVICES[device]
        page = join(browser, server, **settings, locale=language, color_scheme=scheme)
        name = f"{language}, {device}, {scheme}"
        complaints: list[str] = []
        page.context.on("weberror", lambda error, told=complaints: told.append(str(error.error)))
        for address in addresses:
            short = address.removeprefix(server.address)
            file = re.sub(r"\W+", "_", short).strip("_") or "home"
            found: list[str] = []
            for width, height in sizes:
                page.set_viewport_size({"width": width, "height": height})
                if (width, height) == sizes[0]:
                    page.goto(address)
                    found += find_faults(page)
                found += [f"{cut} at {width} px" for cut in page.evaluate(_CUT)]
                if pictures:
                    path = pictures / f"{file}-{language}-{width}-{scheme}.png"
                    page.screenshot(path=path, full_page=True)
            found += complaints
            complaints.clear()
            faults |= {f"{short} ({name}): {fault}": None for fault in found}
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
