"""Takes pictures of the pages in a real browser, for README, tutorials and guide.

``python docs/make_screens.py [NAME...]`` makes all of them, or those named, in ``docs/pictures``.
It needs the extra ``dev`` and a browser (``tests/support/find_chromium.py``). The program itself
serves every page: matches are entered through ``/api/v1``, and the referee watches a sample clip.
"""

from __future__ import annotations

import base64
import io
import random
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from scorer.tournament.events import (
    EntryAdded,
    MatchPlan,
    ResultReported,
    StageKind,
    StageStarted,
    TournamentEvent,
    TournamentStarted,
)
from scorer.tournament.fold import fold
from scorer.tournament.pairing import pair_next_round
from scorer.tournament.standings import CLUB_CRITERIA, order_criteria
from tests.support.find_chromium import find_chromium
from tests.support.served_thread import serve_in_thread
from webapp.config import Config
from webapp.server import RunningServer
from webapp.services import services_of

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
STILLS = ROOT / "sample_images" / "stills"
PHOTO = STILLS / "oblique_birch_red_and_blue.jpg"
#: A round is half a minute long, and a busy machine is slow.
_PATIENCE_MS = 300_000
#: A picture that is larger as PNG, because it shows a photo, is written as WebP.
_MOST_PNG_BYTES = 100_000
_COLOURS = 256

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 760}, "device_scale_factor": 1.5}
DESKTOP: dict[str, Any] = {"viewport": {"width": 1100, "height": 760}}
TV: dict[str, Any] = {"viewport": {"width": 1920, "height": 1080}}
#: The composed picture of a television and a phone: widths, margin, px.
_TV_PX, _PHONE_PX, _MARGIN_PX = 860, 252, 12
_PLAYERS = ("Ann", "Bob", "Cid", "Dee", "Eve", "Finn", "Gus", "Hal")
_PLAYERS += ("Ida", "Jan", "Kim", "Leo", "Mia", "Ned", "Olga", "Pia")
_CLIP_MATCH = {
    "rules": "nca",
    "players": ["Ann", "Bob"],
    "options": {"discs_singles": 3},
}


#: Flags as three stripes.
_FLAGS = {
    "Ann": ((0, 0, 0), (221, 0, 0), (255, 206, 0)),
    "Bob": ((174, 28, 40), (255, 255, 255), (33, 70, 139)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Studio:
    """A browser with its own server."""

    browser: Browser
    server: RunningServer

    @contextmanager
    def window(self, address: str = "", **device: Any) -> Iterator[Page]:
        """A scorer's window at an address."""
        context = self.browser.new_context(base_url=self.server.address, **device)
        context.set_default_timeout(_PATIENCE_MS)
        page = context.new_page()
        page.goto(f"/join#{self.server.token}")
        page.wait_for_url(lambda url: "/join" not in url)
        if address:
            page.goto(address)
        yield page
        context.close()

    def post(self, page: Page, path: str, data: dict[str, Any]) -> Any:
        """The answer of the API to a request."""
        headers = {"Authorization": f"Bearer {self.server.token}"}
        answer = page.context.request.post(f"/api/v1{path}", headers=headers, data=data)
        assert answer.ok, answer.text()
        return answer.json()

    def play(self, page: Page, players: list[str], *rounds: tuple[int, ...], **more: Any) -> int:
        """The number of a new match with these rounds' points."""
        setup = {"rules": "nca", "players": players, **more}
        number: int = self.post(page, "/matches", setup)["id"]
        for points in rounds:
            twenties = [total // 25 for total in points]
            event = {"type": "round_scored", "points": list(points), "twenties": twenties}
            self.post(page, f"/matches/{number}/events", event)
        return number


def show_photo(studio: Studio) -> None:
    """A phone's page after sending a photo."""
    with studio.window(**PHONE) as page:
        page.goto("/score")
        page.locator("input[type=file]").first.set_input_files(PHOTO)
        page.wait_for_url(re.compile(r"/score/[\w-]{10,}$"))
        page.wait_for_selector(".result")
        page.wait_for_load_state("networkidle")
        _save(page, "page_photo")


def show_live(studio: Studio) -> None:
    """A foul of the sample round: on a desktop, and on a television next to a phone."""
    with (
        studio.window("/", **DESKTOP) as desktop,
        studio.window("/?tv&look=stage", **TV) as tv,
        studio.window("/", **PHONE) as phone,
    ):
        number = studio.play(
            desktop,
            ["Ann", "Bob"],
            (45, 20),
            (15, 40),
            colours=["red", "black"],
            options={"discs_singles": 3},
        )
        studio.post(desktop, f"/matches/{number}/events", {"type": "round_started", "minutes": 20})
        studio.post(desktop, "/referee", {"kind": "clip", "clip": "round"})
        for page in (desktop, tv, phone):
            page.locator("#verdict .call", has_text="Foul").wait_for()
        _save(desktop, "page_live")
        pictures = [_take(page) for page in (tv, phone)]
        _write(_place_side_by_side(*pictures), "tv_and_phone")
        desktop.goto("/referee")
        desktop.locator("#picture").wait_for()
        desktop.wait_for_timeout(1500)  # wait for its first picture
        _save(desktop, "page_referee")


def show_question(studio: Studio) -> None:
    """The scorer's phone after a shot by a colour whose player is not known."""
    with studio.window("/", **PHONE) as page:
        studio.post(page, "/matches", _CLIP_MATCH)
        studio.post(page, "/referee", {"kind": "clip", "clip": "round"})
        page.locator("#questions button").first.wait_for()
        page.locator("#moment").wait_for(state="hidden")
        _save(page, "page_question")


def show_scoring(studio: Studio) -> None:
    """Beginning a match, and keeping its score by hand, on a phone."""
    with studio.window("/match/new", **PHONE) as page:
        page.get_by_label("Player 1").fill("Ann")
        page.get_by_label("Player 2").fill("Bob")
        _save(page, "page_new_match")
        number = studio.play(page, ["Ann", "Bob"], (45, 30))
        page.goto(f"/match/{number}")
        page.get_by_role("button", name="Got it").click()
        page.get_by_role("button", name="Start round 2").click()
        for name in ("Ann", "Ann", "Bob"):
            page.get_by_role("button", name=f"Add a 20 for {name}").first.click()
        page.wait_for_load_state("networkidle")
        _save(page, "page_keep_score")


def show_overlay(studio: Studio) -> None:
    """The page on which an overlay's address is composed."""
    with studio.window("/overlay/choose", **DESKTOP) as page:
        for part in ("clock", "board"):
            page.locator(f"input[name=parts][value={part}]").check()
        page.wait_for_timeout(1500)  # the preview plays an animation for its call
        page.evaluate(
            "address => { address.value = address.value.replace(/:\\d+/, ':8000') }",
            page.locator("#address").element_handle(),
        )
        _save(page, "page_overlay")


def show_pictures(studio: Studio) -> None:
    """The overlay with players' flags over a photo of a board, and the page to join."""
    with studio.window("/join", **DESKTOP) as page:
        page.evaluate(
            "link => { link.textContent = link.textContent.replace(/:\\d+/, ':8000') }",
            page.locator("main a[href^=http]").first.element_handle(),
        )
        _save(page, "page_join")
        page.set_viewport_size({"width": 1280, "height": 720})
        studio.play(page, ["Ann", "Bob"], (45, 30), (20, 40), colours=["red", "blue"])
        for name, stripes in _FLAGS.items():
            page.goto(f"/player?name={name}")
            page.get_by_text("Picture of this player").click()
            flag = Image.new("RGB", (3, 3))
            flag.putdata([colour for colour in stripes for _ in range(3)])
            drawn = io.BytesIO()
            flag.resize((300, 300), Image.Resampling.NEAREST).save(drawn, "png")
            file = {"name": "flag.png", "mimeType": "image/png", "buffer": drawn.getvalue()}
            page.locator("#picture").set_input_files(file)  # type: ignore[arg-type]
            page.locator("h1 .portrait").wait_for()
        page.goto("/overlay?parts=score,figures&scale=1.5")
        page.locator(".portrait").first.wait_for()
        photo = base64.b64encode(PHOTO.read_bytes()).decode()
        page.evaluate(
            "photo => { document.documentElement.style.background = "
            "`url(data:image/jpeg;base64,${photo}) center / cover` }",
            photo,
        )
        page.wait_for_timeout(500)  # the photo is decoded
        _save(page, "overlay_pictures", width_px=960)


def show_boards(studio: Studio) -> None:
    """All boards at a glance."""
    with studio.window("/boards", **TV) as page:
        for _ in range(3):
            page.get_by_role("button", name="Add a board").click()
            page.wait_for_load_state("networkidle")
        scores = ((45, 30), (20, 60), (55, 35), (40, 40))
        for board, points in enumerate(scores):
            studio.play(
                page,
                list(_PLAYERS[2 * board : 2 * board + 2]),
                points,
                colours=["red", "black"],
                at_board=board + 1,
            )
        page.goto("/?tv")
        page.wait_for_load_state("load")
        page.wait_for_timeout(1000)
        _save(page, "page_boards", width_px=960)


def show_wall(studio: Studio) -> None:
    """The pairings on the wall of a tournament, and its page on a desktop."""
    log = _play_tournament()
    tournaments = services_of(studio.server.app).tournaments
    number = tournaments.create(log[0], log[1:], now="2026-01-31T18:00:00.000+00:00")  # type: ignore[arg-type]
    with studio.window(f"/tournaments/{number}/wall", **TV) as page:
        page.get_by_text("Standings").first.wait_for()
        page.wait_for_timeout(1000)  # the page fades in
        _save(page, "page_wall", width_px=960)
    with studio.window(f"/tournaments/{number}", **DESKTOP) as page:
        _save(page, "page_tournament")


def _play_tournament() -> tuple[TournamentEvent, ...]:
    """Sixteen players after two rounds, with the third one paired."""
    rng = random.Random(4)
    plan = MatchPlan(rounds=4)
    setup = TournamentStarted(
        name="Club night", boards=tuple(f"Board {k + 1}" for k in range(8)), plan=plan
    )
    log: tuple[TournamentEvent, ...] = (setup, *(EntryAdded(players=(name,)) for name in _PLAYERS))
    kind = StageKind.SWISS
    stage = StageStarted(
        kind=kind,
        name="Swiss",
        entries=tuple(range(len(_PLAYERS))),
        criteria=order_criteria(CLUB_CRITERIA, kind),
        rounds=4,
    )
    log = (*log, stage)
    for _ in range(2):
        log = (*log, pair_next_round(fold(log), 0))
        for match in fold(log).open_matches:
            first, twenties = rng.randrange(9), (rng.randrange(9), rng.randrange(9))
            result = ResultReported(match=match, points=(first, 8 - first), twenties=twenties)
            log = (*log, result)
    return (*log, pair_next_round(fold(log), 0))


def show_practice(studio: Studio) -> None:
    """A drill in progress on a phone."""
    with studio.window(**PHONE) as page:
        rng = random.Random(2)
        setup = {"player": "Ann", "drill": "open_twenties"}
        number = studio.post(page, "/practices", setup)["id"]
        for outcome in ("twenty", "on_board", "on_board", "twenty", "on_board"):
            shot: dict[str, Any] = {"type": "practice_shot", "outcome": outcome}
            if outcome == "on_board":
                shot |= {"right_mm": rng.gauss(10, 40), "beyond_mm": rng.gauss(20, 60)}
            studio.post(page, f"/practices/{number}/events", shot)
        page.goto(f"/practice/{number}")
        _save(page, "page_practice")


def show_calibration(studio: Studio) -> None:
    """The calibration page: the rings on the lines, with the four handles."""
    with studio.window("/calibrate", **DESKTOP) as page:
        still = STILLS / "near_lines_on_both_sides.jpg"
        page.locator("input[type=file]").first.set_input_files(still)
        page.get_by_role("button", name="Start", exact=True).click()
        page.wait_for_selector(".steps")
        page.wait_for_load_state("networkidle")
        _save(page, "page_calibrate")


def _place_side_by_side(tv: Image.Image, phone: Image.Image) -> Image.Image:
    """A television's screen and a phone's, each in a dark frame."""
    tv = tv.resize((_TV_PX, round(tv.height * _TV_PX / tv.width)), Image.Resampling.LANCZOS)
    phone = phone.resize(
        (_PHONE_PX, round(phone.height * _PHONE_PX / phone.width)), Image.Resampling.LANCZOS
    )
    margin = _MARGIN_PX
    size = (tv.width + phone.width + 5 * margin, max(tv.height, phone.height) + 2 * margin)
    whole = Image.new("RGB", size, "#ffffff")
    for picture, left in ((tv, 0), (phone, tv.width + 3 * margin)):
        frame = Image.new(
            "RGB", (picture.width + 2 * margin, picture.height + 2 * margin), "#111111"
        )
        frame.paste(picture, (margin, margin))
        whole.paste(frame, (left, (size[1] - frame.height) // 2))
    return whole


def _take(page: Page) -> Image.Image:
    """The window as a picture."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "window.png"
        page.screenshot(path=path)
        with Image.open(path) as shot:
            return shot.convert("RGB")


def _save(page: Page, name: str, *, width_px: int | None = None) -> None:
    """Write the window as a small picture."""
    picture = _take(page)
    if width_px is not None:
        height_px = round(picture.height * width_px / picture.width)
        picture = picture.resize((width_px, height_px), Image.Resampling.LANCZOS)
    _write(picture, name)


def _write(picture: Image.Image, name: str) -> None:
    """Write a PNG of few colours, or a WebP file if a photo makes the PNG too large."""
    path = PICTURES / f"{name}.png"
    picture.quantize(_COLOURS, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)
    if path.stat().st_size > _MOST_PNG_BYTES:
        path.unlink()
        path = path.with_suffix(".webp")
        picture.save(path, quality=80, method=6)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB", flush=True)


MAKERS = {
    "photo": show_photo,
    "live": show_live,
    "question": show_question,
    "scoring": show_scoring,
    "overlay": show_overlay,
    "pictures": show_pictures,
    "boards": show_boards,
    "wall": show_wall,
    "practice": show_practice,
    "calibration": show_calibration,
}


def main(names: list[str]) -> None:
    """Make the named pictures, or all, every picture with its own server."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        for name in names or MAKERS:
            with tempfile.TemporaryDirectory() as folder:
                data = Path(folder)
                config = Config(port=0, database=str(data / "demo.db"), profiles=data / "profiles")
                with serve_in_thread(config) as server:
                    MAKERS[name](Studio(browser=browser, server=server))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
