"""A photo scored in a browser, corrected, and saved as a round."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from axe_faults import find_faults
from clear_picture import write_clear_picture
from photo_page import send
from plain_wall import write_wall
from playwright.sync_api import Browser, Locator, Page, expect
from screen_sizes import PHONE

from sample_images import __file__ as _samples
from scorer.match.events import MatchStarted, RoundScored, ScoreSource, TwentyCounted
from scorer.match.fold import fold
from scorer.referee.review.review_stage import ReviewStage
from scorer.rules.choices import Format
from vision.io.encode_video import VideoFormat, encode_video
from webapp.jobs.job_services import job_services_of
from webapp.jobs.review_job import FIRST_LOOK, VIDEO, ReviewResult, review_upload
from webapp.jobs.worker import Task
from webapp.server import RunningServer
from webapp.services import services_of

STILLS = Path(_samples).parent / "stills"
#: Brown 10; black 25 with a 20 in the hole; nothing close.
CLEAR = write_clear_picture()
CLOSE = STILLS / "full_board_white_and_red.jpg"


def total(page: Page, colour: str) -> str:
    row = page.locator(".totals li", has_text=colour)
    return row.locator(".points").inner_text()


@pytest.fixture
def begun(server: RunningServer) -> RunningServer:
    """A server with a new match."""
    setup = MatchStarted(
        rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("black", "brown")
    )
    services_of(server.app).scoreboard.begin(setup)
    return server


def test_photograph_is_scored_corrected_and_kept_as_a_round(
    begun: RunningServer, scorer: Page, show: Callable[[Page, str], None]
) -> None:
    scorer.goto("/score")
    show(scorer, "snapshot")
    send(scorer, CLEAR)
    show(scorer, "snapshot-result")
    assert (total(scorer, "brown"), total(scorer, "black")) == ("10", "25")
    scorer.get_by_role("link", name=re.compile("Disc 1, brown")).focus()
    scorer.keyboard.press("Enter")
    show(scorer, "snapshot-disc")
    scorer.get_by_role("button", name=re.compile("^15")).click()
    expect(scorer.get_by_text(re.compile("brown disc 1: .* to 15"))).to_be_visible()
    scorer.get_by_role("link", name="Add a disc").click()
    scorer.wait_for_url("**/add")  # with its scripts
    scorer.locator("#plan").click(position={"x": 200, "y": 200})
    proposed = scorer.locator(".zones button[aria-pressed=true]")
    expect(proposed).to_have_text("10")
    show(scorer, "snapshot-add")
    expect(scorer.get_by_role("radio", checked=True)).to_have_count(0)
    scorer.get_by_label("black").check()
    proposed.click()
    assert total(scorer, "black") == "35"
    scorer.get_by_role("button", name="Ann 20s beside the board: add one").click(click_count=2)
    show(scorer, "snapshot-corrected")
    brown = int(total(scorer, "brown"))
    scorer.get_by_role("button", name="Save as round 1").click()
    expect(scorer.get_by_role("status")).to_contain_text("Saved as round 1")
    show(scorer, "snapshot-kept")
    log = services_of(begun.app).store.log(1)
    (told,) = (event for event in log if isinstance(event, RoundScored))
    assert told.points == (75, brown)
    assert told.twenties == (3, 0)
    assert told.source is ScoreSource.PHOTO
    assert len(told.corrections) == 2
    assert fold(log).rounds[0].points == (75, brown)
    expect(scorer.get_by_role("button", name=re.compile("Save as round"))).to_have_count(0)
    scorer.get_by_role("link", name=re.compile("Disc 1, brown")).first.click()
    scorer.get_by_role("button", name=re.compile("^10")).click()
    expect(scorer.get_by_text("Round 1 was corrected in the match")).to_be_visible()
    log = services_of(begun.app).store.log(1)
    assert fold(log).rounds[0].points == (75, brown - 5)
    scorer.get_by_role("link", name="View match").click()
    expect(scorer.get_by_role("button", name="Undo: Round corrected")).to_be_visible()


def test_a_round_is_kept_only_once_somebody_said_who_plays_which_colour(
    server: RunningServer, open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    services_of(server.app).scoreboard.begin(setup)
    for side in (0, 1):
        services_of(server.app).scoreboard.append(1, TwentyCounted(side=side))
    phone = open_window(scorer=True, device=PHONE)
    send(phone, CLEAR)
    show(phone, "snapshot-whose")
    keep = phone.get_by_role("button", name="Save as round 1")
    keep.click()
    expect(keep).to_be_visible()  # the browser asks for the choice
    assert not fold(services_of(server.app).store.log(1)).rounds
    ann, bob = (phone.get_by_role("radiogroup", name=f"{name} plays") for name in ("Ann", "Bob"))
    ann.get_by_label("black").check()
    expect(bob.get_by_label("brown")).to_be_checked()
    expect(phone.get_by_label("Ann, 20s beside the board")).to_have_value("0")  # it is in the hole
    expect(phone.get_by_label("Bob, 20s beside the board")).to_have_value("1")
    bob.get_by_label("black").check()
    expect(ann.get_by_label("brown")).to_be_checked()
    keep.click()
    expect(phone.get_by_role("status")).to_contain_text("Saved as round 1")
    (kept,) = fold(services_of(server.app).store.log(1)).rounds
    assert (kept.points, kept.twenties) == ((10 + 20, 25), (1, 1))


def test_on_a_phone_a_tap_beside_a_small_disc_is_for_that_disc(
    open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    phone = open_window(device=PHONE)
    send(phone, CLOSE)
    show(phone, "snapshot-close")
    disc = phone.locator("a[data-at]").first
    box = disc.locator("polygon").bounding_box()
    assert box is not None
    phone.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] - 8)
    expect(phone.get_by_role("heading", level=1)).to_contain_text("Disc")
    show(phone, "snapshot-close-disc")
    for button in phone.locator("main button, main a.button").all():
        size = button.bounding_box()
        assert size is not None
        assert min(size["width"], size["height"]) >= 44


def test_close_calls_are_gone_through_one_after_the_other(spectator: Page) -> None:
    send(spectator, CLOSE)
    close = spectator.locator(".discs tr.is-close").count()
    assert close > 1
    expect(spectator.locator(".told .main:visible")).to_have_text("Check the close calls")
    spectator.get_by_role("link", name="Check the close calls").click()
    for _ in range(close):
        doubt = spectator.locator(".note.doubt")
        expect(doubt).to_be_visible()
        with spectator.expect_navigation():  # the next disc's page looks alike
            spectator.locator(".zones button").first.click()
    expect(spectator.locator(".result")).to_be_visible()
    expect(spectator.get_by_role("link", name="Check the close calls")).to_have_count(0)
    expect(spectator.get_by_text("Corrected")).to_have_count(0)  # the likeliest zone was read


def test_spectator_may_look_but_keeps_nothing(begun: RunningServer, spectator: Page) -> None:
    send(spectator, CLEAR)
    expect(spectator.get_by_text("Only the scorer can save rounds.")).to_be_visible()
    key = spectator.url
    refused = spectator.evaluate(
        """async (url) => (await fetch(url + "/save", {method: "POST", headers: {
            "X-CSRF-Token": document.querySelector("meta[name=csrf]").content}})).status""",
        key,
    )
    assert refused == 401
    assert not any(isinstance(e, RoundScored) for e in services_of(begun.app).store.log(1))


def test_a_scored_photo_is_saved_as_a_picture_and_begins_a_match(
    scorer: Page, show: Callable[[Page, str], None]
) -> None:
    scorer.set_viewport_size(PHONE["viewport"])
    send(scorer, CLEAR)
    box = scorer.get_by_role("button", name="Save as PNG").bounding_box()
    assert box
    assert box["y"] + box["height"] < 844, "sharing needs no scrolling where all calls are certain"
    with scorer.expect_download() as saved:
        scorer.get_by_role("button", name="Save as PNG").click()
    picture = cv2.imread(str(saved.value.path()))
    assert picture.shape[1] == 1200
    assert picture[-150:].std() > 10, "totals"
    assert picture[:-150].std() > 10, "the board"
    scorer.get_by_role("link", name="Start a match with this round").click()
    assert scorer.get_by_label("side 1").input_value() in {"brown", "black"}
    scorer.get_by_label("Player 1").fill("Ann")
    scorer.get_by_label("Player 2").fill("Bob")
    scorer.get_by_role("button", name="Start the match").click()
    scorer.wait_for_url(re.compile(r"/score/[\w-]{10,}$"))
    show(scorer, "photo-begins-match")
    scorer.get_by_role("button", name="Save as round 1").click()
    expect(scorer.locator("#kept")).to_have_text("Saved as round 1")


def test_photograph_without_a_board_says_what_to_do(
    spectator: Page, show: Callable[[Page, str], None], tmp_path: Path
) -> None:
    send(spectator, write_wall(tmp_path))
    expect(spectator.get_by_role("alert")).to_contain_text(
        "Fill the picture with the board from above"
    )
    show(spectator, "snapshot-no-board")


def test_a_file_that_cannot_be_sent_is_refused_before_it_is_sent(
    spectator: Page, tmp_path: Path
) -> None:
    large = tmp_path / "large.jpg"
    with large.open("wb") as file:
        file.truncate(81 * 1024**2)
    spectator.goto("/score")
    asked: list[str] = []
    spectator.on("request", lambda request: asked.append(request.url))
    spectator.locator("#photo").set_input_files(large)
    expect(spectator.locator("#how.problem")).to_contain_text(
        "The file is over 80 MB. Send a smaller"
    )
    expect(spectator.locator("#sent")).to_be_hidden()
    assert asked == []


@pytest.fixture
def aiming(launch: Callable[..., Browser], begun: RunningServer, tmp_path: Path) -> Iterator[Page]:
    """A phone whose camera looks at a board and is held still."""
    film = tmp_path / "still.mjpeg"
    picture = cv2.resize(cv2.imread(str(CLEAR)), (1280, 960), interpolation=cv2.INTER_AREA)
    film.write_bytes(cv2.imencode(".jpg", picture)[1].tobytes() * 30)
    phone = launch(
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    )
    with phone.new_context(base_url=begun.address, reduced_motion="reduce", **PHONE) as context:
        context.set_default_timeout(90_000)
        yield context.new_page()


def test_a_phone_that_aims_sees_the_lines_and_takes_the_picture_by_itself(
    aiming: Page, show: Callable[[Page, str], None]
) -> None:
    aiming.goto("/score")
    aiming.get_by_role("button", name="Take a photo").click()
    expect(aiming.locator("#aim-rings.is-sure polygon")).to_have_count(5, timeout=90_000)
    expect(aiming.locator("#aim-words")).to_have_text("Good. Hold still.")
    show(aiming, "aim")
    expect(aiming.get_by_role("timer")).to_be_visible()
    aiming.wait_for_selector(".result")
    assert (total(aiming, "brown"), total(aiming, "black")) == ("10", "25")


def test_a_reviewed_film_plays_and_is_as_wide_as_its_page(
    server: RunningServer, spectator: Page, show: Callable[[Page, str], None]
) -> None:
    grey = [np.full((388, 1000, 3), 90 + k, np.uint8) for k in range(12)]
    form = VideoFormat(size=(1000, 388), stored=(1000, 388), fps=12.0, quality=30)
    review: dict[str, Any] = dict.fromkeys(("shot", "physics", "registration", "nearest"))
    review |= {"reason": None, "shots": 1, "notes": [], "video": VIDEO, "film": "shot.mp4"}

    def submit(_upload: Path, folder: Path) -> Task:
        encode_video(grey, folder / VIDEO, form)
        result = ReviewResult(review=review)
        return Task(job=review_upload, arguments=(), result=result, is_done=True)

    session = job_services_of(server.app).reviews.hold(b"", "shot.mp4", submit)
    spectator.goto(f"/review/{session.key}")
    show(spectator, "review")
    film = spectator.locator("video")
    played_s = film.evaluate(
        "async (video) => { await video.play(); "
        "await new Promise((done) => video.addEventListener('ended', done)); "
        "return video.currentTime; }"
    )
    assert played_s == pytest.approx(1.0, abs=0.1)
    inner = film.evaluate("video => video.parentElement.clientWidth")
    assert film.bounding_box()["width"] <= inner
    spectator.set_viewport_size(PHONE["viewport"])
    assert measure_aspect(film) == pytest.approx(14 / 15, abs=0.01)
    spectator.get_by_label("The original video").check()
    assert measure_aspect(film) == pytest.approx(1000 / 388, abs=0.05)


def test_whoever_waits_for_a_review_sees_how_far_it_is(
    server: RunningServer, spectator: Page, show: Callable[[Page, str], None]
) -> None:
    task = Task(job=review_upload, arguments=(), is_started=True, progress=ReviewStage.FOLLOW)
    session = job_services_of(server.app).reviews.hold(b"", "shot.mp4", lambda *_: task)
    spectator.goto(f"/review/{session.key}")
    stages = spectator.get_by_role("listitem")
    current = stages.and_(spectator.locator("[aria-current]"))
    expect(current).to_have_text("Following the discs")
    expect(spectator.locator(".is-done")).to_have_count(2)
    expect(spectator.get_by_role("progressbar")).to_have_js_property("value", 2.5)
    assert find_faults(spectator) == []
    show(spectator, "review-stages")
    expect(spectator.locator("#first-look")).to_be_hidden()
    (session.folder / FIRST_LOOK).write_text("foul")
    expect(spectator.locator("#first-look")).to_contain_text("First look: The shot is a foul.")
    show(spectator, "review-first-look")
    task.progress = ReviewStage.MAKE_VIDEO
    expect(current).to_have_text("Making the video")


def measure_aspect(element: Locator) -> float:
    """The ratio of an element's width to its height."""
    box = element.bounding_box()
    return box["width"] / box["height"]
