"""The demo, from its first frame to its final score, in a browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_faults import find_faults
from kept_process import keep_process
from playwright.sync_api import Browser, Page, expect
from served_thread import serve_in_thread
from written_clip import cut_clip

from calibration.json_text import to_plain
from webapp.cli.demo_match import begin_demo
from webapp.config import Config
from webapp.jobs import demo_round
from webapp.live.scoreboard import Scoreboard
from webapp.sample_clips import DEMO_CLIP, list_clips
from webapp.services import services_of

#: The clip is watched as fast as possible: its 10 s take about 6 s on two shared cores.
ROUND_MS = 120_000
#: The sample round until its second shot is over, and its score then: red's 20, and black's 15.
TWO_SHOTS_S, POINTS = 9.8, {"red": 20, "black": 15}


@pytest.fixture
def short_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo's clip ends after two shots. Tests of the referee watch all of it."""
    clip = list_clips()[DEMO_CLIP]
    part = cut_clip(clip, tmp_path / clip.name, TWO_SHOTS_S)
    shutil.copy(clip.with_suffix(".json"), tmp_path)
    monkeypatch.setattr(demo_round, "list_clips", lambda: {DEMO_CLIP: part})


@pytest.mark.usefixtures("short_round")
def test_the_demo_reaches_the_clips_final_score_says_what_to_do_next_and_plays_again(
    tmp_path: Path,
    browser: Browser,
    monkeypatch: pytest.MonkeyPatch,
    show: Callable[[Page, str], None],
) -> None:
    keep_process(monkeypatch)
    config = Config(port=0, database=str(tmp_path / "m.db"), is_demo=True)
    with serve_in_thread(config) as server:
        # Animations are tested elsewhere; here they would run as long as the clip.
        page = browser.new_page(base_url=server.address, reduced_motion="reduce")
        page.goto(f"/join#{server.token}")
        page.wait_for_url(f"{server.address}/")
        expect(page.locator("#demo-over")).to_be_hidden()
        demo = begin_demo(server, is_fast=True)
        expect(page.locator("#verdict .call")).to_have_text("Legal", timeout=ROUND_MS)
        expect(page.locator("#seeing")).not_to_be_empty()
        expect(page.locator("#history")).to_contain_text("1", timeout=ROUND_MS)
        show(page, "demo")
        scoreboard = services_of(server.app).scoreboard
        (round_played,) = sides(scoreboard)["rounds"]
        names = [side["colour_name"] for side in sides(scoreboard)["sides"]]
        assert dict(zip(names, round_played["points"], strict=True)) == POINTS
        card = page.locator(".side", has_text="Red")
        expect(card.locator(".total")).to_have_text(str(POINTS["red"] - POINTS["black"]))
        assert demo.wait() is None
        round_told = " · ".join(f"{name.capitalize()} {POINTS[name]}" for name in names)
        assert any(round_told in line for line in demo.describe_score())
        over = page.locator("#demo-over")
        expect(over).to_be_visible(timeout=ROUND_MS)
        expect(page.locator("#next")).to_be_hidden()
        assert find_faults(page) == []
        expect(over.get_by_role("link", name="Try your own photo")).to_have_attribute(
            "href", "/score"
        )
        expect(over.get_by_role("link", name="Start a match")).to_have_attribute(
            "href", "/match/new"
        )
        over.get_by_role("button", name="Play again").click()
        expect(over).to_be_hidden()
        expect(page.locator("#round")).to_have_text("Round 1")
        assert scoreboard.match_id() == 2
        page.close()


def test_a_new_machine_shows_a_recorded_shot_beside_the_cameras_picture_and_says_so(
    tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_process(monkeypatch)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "nothing-compiled"))
    config = Config(port=0, database=str(tmp_path / "m.db"), is_demo=True)
    with serve_in_thread(config) as server:
        page = browser.new_page(base_url=server.address, reduced_motion="reduce")
        page.goto("/")
        begin_demo(server)
        expect(page.locator("#next")).to_contain_text("these calls are from a recording")
        expect(page.locator("#camera")).to_be_visible()
        assert find_faults(page) == []
        expect(page.locator("#verdict .call")).to_have_text("Legal")
        expect(page.locator("#next")).not_to_contain_text("recorded")
        services_of(server.app).supervisor.stop()
        expect(page.locator("#camera")).to_be_visible()
        page.mouse.move(50, 50)
        page.get_by_role("button", name="Screen").click()
        page.get_by_label("drawing", exact=True).check()
        expect(page.locator("#camera")).to_be_hidden()
        page.close()


def sides(scoreboard: Scoreboard) -> dict:
    match = to_plain(scoreboard.state)["match"]
    assert match is not None
    return match
