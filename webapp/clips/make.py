"""A clip from a seed and wishes: played, scripted, filmed and written, with its truth.

The edge of clip making: files. Knows in which order things are invented, so that a seed always
gives the same truth.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sample_images.film.shoot import Camera
from scorer.rules.sets import rule_set
from webapp.clips.filming import Filming, plan_filming
from webapp.clips.play import Plan, play_round
from webapp.clips.script import write_script
from webapp.clips.studio import Studio, furnish, leaner_of, reach_of
from webapp.clips.truth import clip_truth
from webapp.clips.wishes import ClipWishes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clip:
    """A clip that can be filmed; ``truth`` is its file's content."""

    studio: Studio
    filming: Filming
    wishes: ClipWishes
    truth: dict[str, Any]
    seed: int

    def frames(self) -> Iterator[np.ndarray]:
        """All frames (h, w, 3), blue first; a dropped one is the one before again."""
        camera = Camera(self.studio.stage, self.wishes.size, noise=self.wishes.noise)
        chance = np.random.default_rng((self.seed, 5))
        frame: np.ndarray | None = None
        for take in self.filming.takes():
            if frame is None or chance.uniform() >= self.wishes.dropped:
                frame = camera.shoot(take)
            yield frame


def make_clip(name: str, seed: int, wishes: ClipWishes) -> Clip:
    """The clip of a seed."""
    looks, play, pace = (np.random.default_rng((seed, part)) for part in range(3))
    studio = furnish(looks, wishes, seed)
    played = play_round(
        studio.table,
        rule_set("nca"),
        play,
        Plan(
            discs_per_side=wishes.discs_per_side,
            first=str(play.choice(("A", "B"))),
            intents=wishes.intents,
            unseen=wishes.lying,
            errors=wishes.errors,
            leaner=partial(leaner_of, studio.stage),
        ),
    )
    board, shape = studio.stage.board, studio.stage.shape
    reach = reach_of(studio.view, wishes.size, board)
    script = write_script(played, board, shape, studio.teams, wishes, pace, reach)
    filming = plan_filming(script, wishes, studio, pace)
    truth = clip_truth(
        studio,
        played,
        script,
        wishes,
        filming.views,
        name=name,
        seed=seed,
        clock=filming.clock,
        frames=filming.frames,
    )
    return Clip(studio=studio, filming=filming, wishes=wishes, truth=truth, seed=seed)


def write_tracks(clip: Clip, path: Path) -> None:
    """Write where every disc is in every frame (.npz): ``pos`` (frames, discs, 3) in mm, nan where
    it is not to be seen and in inserts; ``ids`` (discs,); ``hand`` (frames,): whether one is
    there; ``fps``.
    """
    filming = clip.filming
    tracks = filming.script.tracks
    pos = np.full((filming.frames, len(tracks), 3), np.nan, np.float32)
    hand = np.zeros(filming.frames, dtype=bool)
    for frame in range(filming.frames):
        t_s, insert = filming.edits.shown(frame / clip.wishes.fps)
        if insert is not None:
            continue
        hand[frame] = bool(filming.script.at(t_s).hands)
        for index, track in enumerate(tracks.values()):
            disc = track.at(t_s)
            if disc is not None:
                pos[frame, index] = disc.position
    ids = np.array(list(tracks))
    np.savez_compressed(path, pos=pos, ids=ids, hand=hand, fps=np.array(clip.wishes.fps))


def truth_text(truth: dict[str, Any]) -> str:
    """The truth file's text: one line a shot, so that it stays small and can be compared."""
    parts = []
    for key, value in truth.items():
        if key == "shots":
            rows = ",\n".join("  " + json.dumps(each) for each in value)
            parts.append(f' "shots": [\n{rows}\n ]')
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_clip(clip: Clip, path: Path, *, quality: int = 23, small: bool = False) -> None:
    """Write ``path`` (.mp4) and its truth beside it (.json)."""
    from webapp.clips.encode import encode  # needs the optional extra

    wishes = clip.wishes
    encode(
        clip.frames(),
        path,
        wishes.size,
        wishes.fps,
        quality=quality,
        small=small,
        stored=wishes.stored or wishes.size,
    )
    path.with_suffix(".json").write_text(truth_text(clip.truth), encoding="utf-8")
