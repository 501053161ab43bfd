"""A clip from a seed and options: played, animated, filmed and encoded, with its truth.

Appearance, play and pace have their own random generators, which draw in a fixed order, so a seed
always gives the same truth.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sample_images.clip_maker.filming.animate_round import PlayedRound, animate_round
from sample_images.clip_maker.filming.frame_plan import FramePlan, plan_frames
from sample_images.clip_maker.options import ClipOptions
from sample_images.clip_maker.play.play_round import RoundPlan, play_round
from sample_images.clip_maker.play.scene_generator import (
    ClipSetup,
    generate_leaner,
    generate_setup,
    measure_extent,
)
from sample_images.clip_maker.truth import clip_truth
from sample_images.clip_renderer.frame_renderer import FrameRenderer
from scorer.rules.sets import rule_set
from vision.io.encode_video import VideoFormat, encode_video


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clip:
    """A clip that can be filmed; ``truth`` is its file's content."""

    setup: ClipSetup
    frame_plan: FramePlan
    options: ClipOptions
    truth: dict[str, Any]
    seed: int

    def frames(self) -> Iterator[np.ndarray]:
        """All frames (h, w, 3), blue first; a dropped one repeats the one before."""
        camera = FrameRenderer(self.setup.scene, self.options.size, noise=self.options.noise)
        chance = np.random.default_rng((self.seed, 5))
        frame: np.ndarray | None = None
        for frame_spec in self.frame_plan.frame_specs():
            if frame is None or chance.uniform() >= self.options.dropped:
                frame = camera.render_frame(frame_spec)
            yield frame


def make_clip(name: str, seed: int, options: ClipOptions) -> Clip:
    """The clip of a seed."""
    looks, play, pace = (np.random.default_rng((seed, part)) for part in range(3))
    setup = generate_setup(looks, options, seed)
    record = play_round(
        setup.table,
        rule_set("nca"),
        play,
        RoundPlan(
            discs_per_side=options.discs_per_side,
            first=str(play.choice(("A", "B"))),
            intents=options.intents,
            unseen=min(options.lying, 2 * options.discs_per_side - 1),
            errors=options.errors,
            leaner=partial(generate_leaner, setup.scene),
        ),
    )
    board = setup.scene.board
    played = PlayedRound(
        record=record,
        board=board,
        shape=setup.scene.shape,
        colours=setup.teams,
        extent=measure_extent(setup.view, options.size, board),
    )
    timeline = animate_round(played, options, pace)
    frame_plan = plan_frames(timeline, options, setup, pace)
    truth = clip_truth(name, seed, setup, record, frame_plan)
    return Clip(setup=setup, frame_plan=frame_plan, options=options, truth=truth, seed=seed)


def write_tracks(clip: Clip, path: Path) -> None:
    """Write the places of all discs in all frames (.npz): ``pos`` (frames, discs, 3) in mm, nan if
    not visible and in inserts; ``ids`` (discs,); ``hand`` (frames,): whether one is there; ``fps``.
    """
    frame_plan = clip.frame_plan
    tracks = frame_plan.timeline.tracks
    pos = np.full((frame_plan.frames, len(tracks), 3), np.nan, np.float32)
    hand = np.zeros(frame_plan.frames, dtype=bool)
    for frame in range(frame_plan.frames):
        t_s, insert = frame_plan.edits.shown(frame / clip.options.fps)
        if insert is not None:
            continue
        hand[frame] = bool(frame_plan.timeline.at(t_s).hands)
        for index, track in enumerate(tracks.values()):
            disc = track.at(t_s)
            if disc is not None:
                pos[frame, index] = disc.position
    ids = np.array(list(tracks))
    np.savez_compressed(path, pos=pos, ids=ids, hand=hand, fps=np.array(clip.options.fps))


def format_truth(truth: dict[str, Any]) -> str:
    """The truth file's text: one line per shot, so it stays small and can be compared."""
    parts = []
    for key, value in truth.items():
        if key == "shots":
            rows = ",\n".join("  " + json.dumps(item) for item in value)
            parts.append(f' "shots": [\n{rows}\n ]')
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_clip(clip: Clip, path: Path, *, quality: int = 23, small: bool = False) -> None:
    """Write ``path`` (.mp4) and its truth beside it (.json)."""
    options = clip.options
    video = VideoFormat(
        size=options.size,
        stored=options.stored or options.size,
        fps=options.fps,
        quality=quality,
        is_small=small,
    )
    encode_video(clip.frames(), path, video)
    path.with_suffix(".json").write_text(format_truth(clip.truth), encoding="utf-8")
