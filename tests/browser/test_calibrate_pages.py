"""The calibration wizard in a browser: from a picture to a saved profile."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from plain_wall import write_wall
from playwright.sync_api import Locator, Page, Route, expect
from screen_sizes import PHONE

from calibration.profile import load_profile
from sample_images import __file__ as _samples
from webapp.server import RunningServer
from webapp.services import services_of

STILLS = Path(_samples).parent / "stills"
BOARD = STILLS / "near_lines_on_both_sides.jpg"


def begin(page: Page, picture: Path) -> None:
    page.goto("/calibrate")
    page.get_by_label("Photo of the board").set_input_files(picture)
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector(".steps", timeout=90_000)


def middle(handle: Locator) -> tuple[float, float]:
    box = handle.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 44
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def finish(page: Page, name: str) -> None:
    page.get_by_role("button", name="Continue", exact=True).click()
    page.get_by_label("Profile name").fill(name)
    page.get_by_role("button", name="Save profile").click()
    expect(page.get_by_role("status")).to_contain_text(f"Saved as {name}")


def kept(server: RunningServer, name: str) -> Path:
    profiles = services_of(server.app).config.profiles
    assert profiles is not None
    return profiles / name


def test_picture_becomes_a_kept_profile_by_mouse(
    server: RunningServer, scorer: Page, show: Callable[[Page, str], None]
) -> None:
    begin(scorer, BOARD)
    show(scorer, "calibrate-fit")
    scorer.get_by_role("button", name="Yes, they match").click()
    scorer.get_by_role("button", name="Measure one of each colour automatically").click()
    expect(scorer.locator(".sizes li")).to_have_count(2, timeout=60_000)
    show(scorer, "calibrate-discs")
    scorer.get_by_role("button", name="Continue", exact=True).click()
    show(scorer, "calibrate-speed")
    scorer.get_by_role("button", name="Skip").click()
    show(scorer, "calibrate-lens")
    scorer.get_by_role("button", name="Continue", exact=True).click()
    show(scorer, "calibrate-keep")
    scorer.get_by_label("Profile name").fill("Club board")
    scorer.get_by_role("button", name="Save profile").click()
    expect(scorer.get_by_role("status")).to_contain_text("Saved as Club board")
    show(scorer, "calibrate-profiles")
    profile = load_profile(kept(server, "club-board.json"))
    assert len(profile.origin.colours) == 2
    assert kept(server, "club-board.jpg").stat().st_size > 10_000
    expect(scorer.get_by_role("link", name="Download")).to_be_visible()
    scorer.goto("/score")
    expect(scorer.get_by_label("Board", exact=True)).to_contain_text("Club board")


def test_handles_are_dragged_by_a_finger_and_discs_tapped(
    server: RunningServer, open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    phone = open_window(scorer=True, device=PHONE)
    begin(phone, BOARD)
    handles = phone.get_by_role("button", name=re.compile("^Handle"))
    expect(handles).to_have_count(4)
    fitted = phone.get_by_label("Handle 1, across").input_value()
    handles.first.scroll_into_view_if_needed()
    x, y = middle(handles.first)
    finger = phone.context.new_cdp_session(phone)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        told = [{"x": px, "y": py} for px, py in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told})

    touch("touchStart", (x, y))
    for step in range(1, 5):
        touch("touchMove", (x + 3 * step, y + 2 * step))
    show(phone, "calibrate-drag")
    touch("touchEnd")
    assert abs(middle(handles.first)[0] - (x + 12)) < 3
    phone.get_by_role("button", name="Fit the rings to the handles").click()
    expect(phone.get_by_role("heading", name="Do the rings match the lines?")).to_be_visible()
    again = phone.get_by_label("Handle 1, across").input_value()
    assert abs(float(again) - float(fitted)) < 3.0  # the fit to the rings moved it back
    phone.get_by_role("button", name="Yes, they match").click()
    phone.get_by_role("button", name="Measure one of each colour automatically").click()
    expect(phone.locator(".sizes li")).to_have_count(2, timeout=60_000)
    photo = phone.locator("#photo")
    rim, around = phone.locator("polygon.rim").first.bounding_box(), photo.bounding_box()
    assert rim is not None
    assert around is not None
    phone.get_by_role("button", name="Start over").click()
    expect(phone.locator(".sizes li")).to_have_count(0)
    phone.wait_for_load_state()  # a tap before the page's script has loaded is lost
    photo.tap(
        position={
            "x": rim["x"] + rim["width"] / 2 - around["x"],
            "y": rim["y"] + rim["height"] / 2 - around["y"],
        }
    )
    expect(phone.locator(".sizes li")).to_have_count(1, timeout=60_000)
    phone.get_by_role("button", name="Continue", exact=True).click()
    phone.get_by_role("button", name="Skip").click()
    finish(phone, "Phone board")
    assert len(load_profile(kept(server, "phone-board.json")).origin.colours) == 1


def test_handles_move_by_arrow_keys(scorer: Page) -> None:
    begin(scorer, BOARD)
    handle = scorer.get_by_role("button", name=re.compile("^Handle 2"))
    handle.focus()
    before = middle(handle)
    for _ in range(4):
        scorer.keyboard.press("Shift+ArrowRight")
    scorer.keyboard.press("ArrowUp")
    after = middle(handle)
    assert after[0] > before[0] + 10
    assert after[1] < before[1]


def test_handles_are_shown_when_they_can_be_moved(scorer: Page) -> None:
    handles = scorer.get_by_role("button", name=re.compile("^Handle"))
    script = "**/calibrate_fit.js*"
    scorer.route(script, lambda route: route.abort())
    begin(scorer, BOARD)
    scorer.wait_for_load_state()
    assert handles.count() == 0
    scorer.unroute(script)
    scorer.reload()
    expect(handles).to_have_count(4)


def test_picture_without_a_board_offers_handles_and_says_what_is_wrong(
    scorer: Page, show: Callable[[Page, str], None], tmp_path: Path
) -> None:
    begin(scorer, write_wall(tmp_path))
    expect(scorer.get_by_role("alert")).to_contain_text("No crokinole board was found")
    expect(scorer.get_by_role("button", name="Yes, they match")).to_have_count(0)
    show(scorer, "calibrate-no-board")
    scorer.get_by_role("button", name="Fit the rings to the handles").click()
    expect(scorer.get_by_role("alert")).to_contain_text("handle")


def test_spectator_sees_profiles_and_calibrates_nothing(spectator: Page) -> None:
    spectator.goto("/calibrate")
    expect(spectator.get_by_role("link", name=re.compile("Join as the scorer"))).to_be_visible()
    expect(spectator.get_by_label("Photo of the board")).to_have_count(0)


@pytest.mark.parametrize("stage", ["sent", "read"])
def test_a_photo_that_is_done_takes_nobody_back_from_the_way_to_calibration(
    scorer: Page, stage: str
) -> None:
    """The server answers the chosen page late, when the photo's own page is ready."""
    leaving: list[str] = []

    def answer_late(route: Route) -> None:
        leaving.append(route.request.url)
        scorer.wait_for_timeout(1500)
        route.continue_()

    def answer_at_once(route: Route) -> None:
        while stage == "sent" and not leaving:
            scorer.wait_for_timeout(50)
        words = {"is_done": bool(leaving), "words": "Waiting", "address": "/score/no-such-photo"}
        route.fulfill(json=words)

    scorer.route("**/calibrate", answer_late)
    scorer.goto("/score")
    scorer.route("**/progress" if stage == "read" else "**/score", answer_at_once)
    scorer.locator("#photo").set_input_files(BOARD)
    waited = "Waiting" if stage == "read" else "Sending"
    expect(scorer.locator("#how")).to_have_text(waited)
    scorer.locator("nav a[href$=calibrate]").click(no_wait_after=True)
    scorer.wait_for_url("**/calibrate")
    expect(scorer.locator("#photo")).to_be_visible()
