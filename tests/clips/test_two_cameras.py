"""Two cameras on one drawn game: one verdict from both films, and from one film once the other
ends.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from json_referee import keep_json
from paths import CLIPS

from sample_images.clip_maker.make_clip import Clip, make_clip, write_clip
from sample_images.clip_maker.make_still import turn_view
from sample_images.clip_maker.options import ClipOptions
from sample_images.clip_maker.play.scene_generator import place_camera
from scorer.referee.cameras.watch_two import watch_two
from scorer.referee.cameras.watch_two_live import watch_two_live
from scorer.referee.capture_thread import RealTimeSource
from scorer.referee.events import Event, to_json
from vision.io.sources import SourceError, TimedFrame, open_source
from webapp.cli.main import main

OPTIONS = ClipOptions(
    size=(640, 360), intents=("pass",), lying=3, discs_per_side=2, tilt_deg=25.0, hurry=1.8,
    unshot="hidden", removed_to="ditch", ends_at_rest=True,
)  # fmt: skip
SEED = 9322


@pytest.fixture(scope="module")
def films(tmp_path_factory) -> tuple[Path, Path, Clip]:
    """The film from above, the one from the side, and the clip that both show."""
    folder = tmp_path_factory.mktemp("films")
    clip = make_clip("round", SEED, OPTIONS)
    options = replace(OPTIONS, tilt_deg=66.0)
    aside = place_camera(np.random.default_rng(SEED), options, clip.setup.scene.board)
    plan = replace(clip.frame_plan, views=((0.0, turn_view(aside, math.radians(80.0))),))
    above, beside = folder / "above.mp4", folder / "beside.mp4"
    write_clip(clip, above)
    write_clip(replace(clip, frame_plan=plan), beside)
    return above, beside, clip


def watched(first: Path, second: Path) -> tuple[list[dict], list[str]]:
    events: list[dict] = []
    said: list[str] = []
    watch_two(str(first), str(second), on_event=keep_json(events), say=said.append)
    return events, said


def test_one_shot_in_two_films_is_one_shot_with_the_right_verdict(films) -> None:
    above, beside, clip = films
    events, said = watched(above, beside)
    (shot,) = [event for event in events if event["type"] == "shot"]
    (true,) = clip.truth["shots"]
    assert shot["verdict"] in ("legal" if true["valid"] else "foul", "needs_review")
    assert shot["t_start_s"] == pytest.approx(true["t_release"], abs=0.3)
    assert len(shot["after"]) == sum(disc["state"] != "ditch" for disc in true["after_rest"])
    assert "by motion" in said[0] or "assumed to match" in said[0]
    assert events[-1]["type"] == "round"


def test_where_one_film_breaks_the_other_goes_on_and_it_is_said(films, tmp_path) -> None:
    above, _, _ = films
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"no film at all")
    events: list[dict] = []
    said: list[str] = []
    keep = keep_json(events)
    with pytest.raises(SourceError):
        watch_two(str(above), str(broken), offset_s=0.0, on_event=keep, say=said.append)
    assert [event["type"] for event in events].count("shot") == 1
    assert any("broken.mp4 is left out from here on" in message for message in said)


def test_what_a_second_film_shows_before_the_first_begins_is_left_out_and_said(films) -> None:
    above, beside, _ = films
    events: list[dict] = []
    said: list[str] = []
    stop = threading.Event()

    def stop_soon(event: Event) -> None:
        events.append(to_json(event))
        stop.set()

    both = str(above), str(beside)
    watch_two(*both, offset_s=-1.25, on_event=stop_soon, say=said.append, stop=stop)
    assert f"{beside} begins 1.25 s before {above}" in said[0]
    assert min(event["t_s"] for event in events) >= 0.0


def test_a_second_film_goes_with_no_drawn_video(tmp_path, capsys) -> None:
    film, video = str(CLIPS / "round.mp4"), str(tmp_path / "drawn.mp4")
    assert main(["watch", film, "--beside", film, "--overlay-video", video]) == 2
    assert "--overlay-video and --second-camera" in capsys.readouterr().err


class BrokenCamera:
    """A live camera that shows a film up to some moment, and then sends nothing more."""

    name, is_live = "broken camera", True

    def __init__(self, film: Path, until_s: float) -> None:
        self._film, self._until_s = film, until_s

    def frames(self, stop: threading.Event, report: Callable[[str], None]) -> Iterator[TimedFrame]:
        for frame in RealTimeSource(open_source(str(self._film))).frames(stop, report):
            if frame.t_s > self._until_s:
                break
            yield frame
        stop.wait(60)


def test_two_live_cameras_are_judged_as_one_and_one_goes_on_where_the_other_breaks(
    films, monkeypatch
) -> None:
    above, beside, clip = films
    # Longer than a busy computer delays the other camera, and shorter than the shot.
    monkeypatch.setattr("scorer.referee.cameras.watch_two_live._SILENT_S", 2.0)
    stop, events, awaited = threading.Event(), [], {"camera", "shot"}

    def take(event: Event) -> None:
        events.append(to_json(event))
        awaited.discard(event.type)
        if not awaited:
            stop.set()

    (true,) = clip.truth["shots"]
    camera = BrokenCamera(beside, true["t_release"] - 1.0)
    watch_two_live(str(above), camera, on_event=take, stop=stop)
    (shot,) = [event for event in events if event["type"] == "shot"]
    assert shot["verdict"] in ("legal" if true["valid"] else "foul", "needs_review")
    assert (2, False) in [
        (event["camera"], event["over"]) for event in events if event["type"] == "camera"
    ]
    assert events[-1]["type"] in ("ended", "round")
