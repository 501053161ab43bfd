"""The live referee from a browser: started on a clip, paused, and fed by a phone's camera."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import cv2
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from screen_sizes import DESKTOP, PHONE
from served_thread import serve_in_thread
from wait_until import wait_until
from watch_events import BLACK, board_event

from calibration.json_text import to_plain
from calibration.placed_disc import Team
from webapp.cli.demo_match import begin_demo
from webapp.config import Config
from webapp.sample_clips import DEMO_CLIP, list_clips
from webapp.server import RunningServer
from webapp.services import services_of

PATIENCE_MS = 60_000
NATURAL = Team(number=0, colour_rgb=(217, 167, 102), colour_name="natural")
#: The first shots of the demo appear within this time, s, however busy the computer is.
ROUND_S = 300.0


def test_clip_is_watched_paused_and_stopped(
    scorer: Page, open_window: Callable[..., Page], show: Callable[[Page, str], None]
) -> None:
    room = open_window()
    room.goto("/")
    scorer.goto("/referee")
    scorer.get_by_label("a sample video").check()
    scorer.get_by_label("Which video").select_option(DEMO_CLIP)
    scorer.get_by_role("button", name="Start").click()
    picture = scorer.locator("#picture")
    expect(picture).to_be_visible(timeout=PATIENCE_MS)
    expect(scorer.locator("#state")).to_have_text("Refereeing.", timeout=PATIENCE_MS)
    expect(room.locator("#live")).to_be_visible()
    show(scorer, "referee")
    scorer.get_by_role("button", name="Pause").click()
    expect(scorer.locator("#state")).to_have_text("Paused.")
    expect(room.locator("#seeing")).to_have_text("Paused.")
    scorer.get_by_role("button", name="Continue").click()
    expect(scorer.locator("#state")).to_have_text("Refereeing.", timeout=PATIENCE_MS)
    scorer.get_by_role("button", name="Stop").click()
    expect(scorer.locator("#state")).to_have_text("No camera is running.")


def test_a_camera_s_state_is_shown_once_before_its_first_picture(
    server: RunningServer, scorer: Page
) -> None:
    recorder = services_of(server.app).recorder
    recorder.on_start("clip")
    recorder.on_event(board_event(teams=(NATURAL, BLACK)))
    scorer.goto("/referee")
    expect(scorer.locator("#state")).to_have_text("Refereeing.")
    expect(scorer.get_by_text("Refereeing.")).to_have_count(1)
    expect(scorer.get_by_text("The first frame will appear in a moment.")).to_be_visible()


def is_under_way(state: dict[str, Any]) -> bool:
    return state["match"]["shots"] > 1 and bool(state["match"]["board"])


def lasting_config(folder: Path) -> Config:
    """The settings of a server that stores everything in a folder."""
    database, secret = str(folder / "m.db"), folder / "secret"
    return Config(port=0, database=database, shots=folder / "shots", secret=secret)


def test_the_scorer_sends_a_video_of_their_own_game(
    server: RunningServer, scorer: Page, show: Callable[[Page, str], None], tmp_path: Path
) -> None:
    (tmp_path / "notes.mp4").write_text("no film")
    scorer.goto("/referee")
    film = scorer.get_by_label("Video file")
    film.set_input_files(tmp_path / "notes.mp4")
    expect(scorer.get_by_label("your own video")).to_be_checked()
    scorer.get_by_role("button", name="Start", exact=True).click()
    expect(scorer.get_by_text("Choose a video of a game first")).to_be_visible()
    show(scorer, "referee-own-video")
    scorer.get_by_label("Video file").set_input_files(list_clips()[DEMO_CLIP])
    scorer.get_by_role("button", name="Start", exact=True).click()
    expect(scorer.locator("#state")).to_have_text("Refereeing.", timeout=90_000)
    services_of(server.app).supervisor.stop()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stored data of a server whose referee watched the demo until a round was in progress."""
    folder = tmp_path_factory.mktemp("kept")
    with serve_in_thread(lasting_config(folder)) as running:
        begin_demo(running, is_fast=True)
        parts = services_of(running.app)
        until_s = monotonic() + ROUND_S
        while not is_under_way(to_plain(parts.scoreboard.state)) and monotonic() < until_s:
            sleep(0.05)
        parts.supervisor.stop()
    return folder


@pytest.fixture
def restarted(kept: Path, tmp_path: Path) -> Iterator[RunningServer]:
    """Another server, with the data stored by the first."""
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    with serve_in_thread(lasting_config(tmp_path)) as running:
        yield running


@contextmanager
def scoring(browser: Browser, running: RunningServer, **settings: Any) -> Iterator[Page]:
    """A scorer's window."""
    quiet: dict[str, Any] = {"service_workers": "block", "reduced_motion": "reduce"}
    context = browser.new_context(base_url=running.address, **{**quiet, **settings})
    try:
        page = context.new_page()
        page.goto(f"/join#{running.token}")
        page.wait_for_url(lambda url: "/join" not in url)
        yield page
    finally:
        context.close()


def shown_picture(scorer: Page, replay: Locator) -> int:
    """The displayed picture of the shot, by the time of its video."""
    address = (
        str(replay.get_attribute("src")).removesuffix(".mp4").replace("/shots", "/api/v1/shots")
    )
    pictures = scorer.request.get(address).json()["pictures"]
    shown_s = float(replay.evaluate("(video) => video.currentTime"))
    return sum(picture["t_s"] - pictures[0]["t_s"] <= shown_s for picture in pictures) - 1


def test_a_restarted_server_says_that_the_round_has_lost_its_camera(
    browser: Browser, restarted: RunningServer
) -> None:
    with scoring(browser, restarted, **PHONE) as scorer:
        scorer.goto("/match/1")
        expect(scorer.locator("#referee-says")).to_contain_text("No camera is running.")
        hint = scorer.get_by_label("How to keep score")
        expect(hint).to_be_visible()
        services_of(restarted.app).recorder.on_start("0")
        expect(scorer.locator("#referee-says")).to_be_hidden()
        scorer.reload()
        expect(hint).to_have_count(0)


def test_dispute_shows_its_shot_again_even_after_a_restart(
    browser: Browser, restarted: RunningServer, show: Callable[[Page, str], None]
) -> None:
    assert len(services_of(restarted.app).shots.of_match(1)) > 1
    with scoring(browser, restarted, reduced_motion="no-preference", **DESKTOP) as scorer:
        scorer.goto("/match/1")
        scorer.get_by_label("What's in dispute?").fill("Was it in the hole?")
        scorer.get_by_label("Which shot?").select_option(index=2)
        scorer.get_by_role("button", name="Record the dispute").click()
        scorer.get_by_role("button", name="Replay the shot").click()
        replay = scorer.locator(".dispute .again video")
        expect(replay).to_be_visible()
        scorer.get_by_role("button", name="Pause").click()
        expect(replay).to_have_js_property("videoWidth", 960)
        expect(replay).to_have_js_property("playbackRate", 0.25)
        place = scorer.get_by_label("Position in the replay")
        place.fill("5")
        steps = [lambda: scorer.get_by_role("button", name="Next frame").click()]
        steps += [lambda: place.press("ArrowRight"), lambda: place.press("ArrowLeft")]
        for step, number in zip(steps, (6, 7, 6), strict=True):
            step()
            expect(place).to_have_value(str(number))
            expect(replay).to_have_js_property("seeking", False)
            assert shown_picture(scorer, replay) == number
        expect(scorer.locator(".dispute .closest svg image")).to_have_count(1)
        show(scorer, "dispute")
        for words, film in (
            ("Report a wrong call", []),
            ("Report it with the video", ["replay.mp4"]),
        ):
            with scorer.expect_download() as saved:
                scorer.get_by_role("link", name=words).click()
            with zipfile.ZipFile(saved.value.path()) as report:
                assert report.namelist() == ["shot.json", "board.jpg", *film]
        scorer.get_by_text("Shots seen by the camera").click()
        scorer.get_by_role("button", name="Replay:").first.click()
        expect(scorer.locator(".plain-list .player")).to_be_visible()
        show(scorer, "shots-seen")
        scorer.get_by_label("The ruling").fill("It was.")
        scorer.get_by_role("button", name="Save ruling", exact=True).click()
        expect(scorer.get_by_text("Decision: It was.")).to_be_visible()
        scorer.goto("/accuracy")
        disputed = scorer.locator("dl.figures div", has_text="Disputed")
        expect(disputed).to_contain_text(re.compile(r"1 of \d"))
        show(scorer, "accuracy-shots")


def test_disc_is_seen_from_above_and_put_right_even_after_a_restart(
    browser: Browser, restarted: RunningServer, show: Callable[[Page, str], None]
) -> None:
    with scoring(browser, restarted, **PHONE) as scorer:
        scorer.goto("/match/1")
        before = to_plain(services_of(restarted.app).scoreboard.state)["match"]["board"][0]
        scorer.locator(f".b-disc[data-disc='{before['id']}']").tap()
        seen = scorer.locator("#disc .close svg image")
        expect(seen).to_have_count(1)
        address = seen.get_attribute("href")
        assert (
            scorer.request.get(f"{restarted.address}{address}").headers["content-type"]
            == "image/jpeg"
        )
        show(scorer, "close-look")
        other = 5 if before["zone"] != 5 else 10
        scorer.get_by_role("button", name=f"It is worth {other}", exact=True).tap()
        expect(scorer.locator("#disc")).to_contain_text("Choose a disc")
        after = to_plain(services_of(restarted.app).scoreboard.state)["match"]["board"]
        assert {**before, "zone": other} in after


def test_spectator_sees_the_referee_and_cannot_start_it(spectator: Page) -> None:
    spectator.goto("/referee")
    expect(spectator.get_by_text("Only the scorer can start and stop the referee.")).to_be_visible()
    expect(spectator.get_by_role("main").get_by_role("button")).to_have_count(0)
    spectator.goto("/camera")
    expect(spectator.get_by_role("heading", name="Only the scorer can do that")).to_be_visible()


@pytest.fixture(scope="module")
def filming(launch: Callable[..., Browser], tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """A browser whose camera shows the sample clip in a loop."""
    film = tmp_path_factory.mktemp("film") / "clip.mjpeg"
    _as_mjpeg(list_clips()[DEMO_CLIP], film)
    return launch(
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    )


def _as_mjpeg(clip: Path, film: Path, frames: int = 240) -> None:
    """The clip's first seconds, at half its size, as the pictures for a fake camera."""
    source = cv2.VideoCapture(str(clip))
    with film.open("wb") as file:
        for _ in range(frames):
            good, image = source.read()
            assert good
            small = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            file.write(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 88])[1].tobytes())
    source.release()


def test_phone_is_the_referees_camera(
    server: RunningServer, filming: Browser, show: Callable[[Page, str], None]
) -> None:
    context = filming.new_context(base_url=server.address, reduced_motion="reduce")
    try:
        phone = context.new_page()
        phone.goto(f"/join#{server.token}")
        phone.wait_for_url(f"{server.address}/")
        phone.goto("/camera")
        expect(phone.locator("#rings polygon")).to_have_count(5, timeout=PATIENCE_MS)
        show(phone, "camera-preview")
        phone.get_by_role("button", name="Start filming").click()
        expect(phone.locator("#state")).to_have_text("Refereeing.", timeout=PATIENCE_MS)
        expect(phone.locator("#rings polygon")).to_have_count(0)
        phone.get_by_text("Referee's view").click()
        expect(phone.locator("#picture")).to_be_visible(timeout=PATIENCE_MS)
        expect(phone.get_by_text("frames per second")).to_be_visible(timeout=PATIENCE_MS)
        show(phone, "camera")
        _check_that_an_outage_loses_no_frames(phone)
        board = context.new_page()
        board.goto("/")
        expect(board.locator("#live")).to_be_visible()
        phone.get_by_role("button", name="Stop").click()
        expect(phone.get_by_role("button", name="Start filming")).to_be_enabled()
        expect(phone.locator("#rings polygon")).to_have_count(5, timeout=PATIENCE_MS)
        # requests of the first page are not answered on the second
        expect(phone.locator("#problem")).to_be_hidden()
        phone.goto("/referee")
        expect(phone.locator("#out:not(.problem)")).to_contain_text(
            "The phone has stopped filming."
        )
        expect(phone.locator("#state")).to_have_text("No camera is running.")
        expect(board.locator("#seeing")).to_have_text("The phone has stopped filming.")
    finally:
        context.close()


_LOSE_A_REQUEST = """async () => {
  const { FrameCapture } = await import("/static/js/frame_capture.js");
  let tick = null, at_ms = 0;
  const size = { width: 80, height: 45, videoWidth: 80, videoHeight: 45 };
  const video = Object.assign(document.createElement("canvas"), size);
  video.requestVideoFrameCallback = (capture) => (tick = capture);
  const film = new FrameCapture(video);
  const shoot = async (count) => {
    for (let k = 0; k < count; k += 1) {
      at_ms += 100;
      tick(at_ms, {});
      await new Promise((go) => setTimeout(go, 2));
    }
  };
  await shoot(24);
  const lost = await film.take();
  film.putBack(lost);
  await shoot(300);
  const next = await film.take();
  film.end();
  return [lost, next].map((frames) => frames.map(({ captured_ms }) => captured_ms));
}"""


def test_a_request_that_failed_is_sent_whole_after_a_long_outage(spectator: Page) -> None:
    spectator.goto("/camera")
    lost, sent = spectator.evaluate(_LOSE_A_REQUEST)
    assert lost
    assert sent[: len(lost)] == lost


_FAIL_WHEN_UNWANTED = """async () => {
  const { followBoard } = await import("/static/js/aim.js");
  const size = { width: 80, height: 45, videoWidth: 80, videoHeight: 45 };
  const video = Object.assign(document.createElement("canvas"), size);
  const words = Object.assign(document.createElement("p"), { textContent: "Refereeing." });
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  let isWanted = true;
  window.fetch = async () => {
    isWanted = false;
    throw new TypeError("no network");
  };
  await followBoard({ video, svg, words, isWanted: () => isWanted, longPicture_px: () => 80 });
  return words.textContent;
}"""


def test_a_preview_that_fails_late_leaves_the_words_of_the_film(spectator: Page) -> None:
    spectator.goto("/camera")
    assert spectator.evaluate(_FAIL_WHEN_UNWANTED) == "Refereeing."


_RECORD_WHAT_IS_SENT = """() => {
  const plain = window.fetch;
  window.sent = { failed: [], arrived: [] };
  window.fetch = async (address, options) => {
    const times = options?.body instanceof FormData ? options.body.getAll("captured_ms") : [];
    try {
      const answer = await plain(address, options);
      window.sent.arrived.push(...times);
      return answer;
    } catch (error) {
      window.sent.failed.push(...times);
      throw error;
    }
  };
}"""


def _check_that_an_outage_loses_no_frames(phone: Page) -> None:
    """Frames filmed while the server could not be reached are sent once, when it is reachable
    again.
    """
    phone.evaluate(_RECORD_WHAT_IS_SENT)
    phone.route("**/camera/frames", lambda route: route.abort())
    expect(phone.locator("#problem")).to_contain_text("cannot be reached", timeout=PATIENCE_MS)
    phone.unroute("**/camera/frames")
    expect(phone.locator("#problem")).to_be_hidden(timeout=PATIENCE_MS)
    wait_until(phone, "sent.failed.every((frame) => sent.arrived.includes(frame))")
    sent = phone.evaluate("window.sent")
    assert sent["failed"]
    assert sorted(set(sent["arrived"]), key=float) == sent["arrived"]
