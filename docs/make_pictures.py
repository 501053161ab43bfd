"""The pictures of README and documentation, made from the sample pictures and clips.

``python docs/make_pictures.py [NAME...]`` makes all of them, or those named, in ``docs/pictures``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import av
from PIL import Image

from webapp.cli.main import main as crokinole

ROOT = Path(__file__).parents[1]
STILLS, CLIPS = ROOT / "sample_images" / "stills", ROOT / "sample_images" / "clips"
PICTURES = ROOT / "docs" / "pictures"

#: A refereed shot of the sample round: its seconds, and the part of the picture that is shown.
_SHOT_S, _SHOT_BOX_PX = (14.2, 16.7), (0, 0, 1060, 716)
_SHOT_WIDTH_PX, _EVERY_FRAME, _LAST_MS = 600, 3, 2000


def make_scored_photo(name: str = "oblique_birch_red_and_blue") -> None:
    """A photograph with its calls drawn on it."""
    with tempfile.TemporaryDirectory() as folder:
        crokinole(["score", str(STILLS / f"{name}.jpg"), "--overlay", folder])
        with Image.open(Path(folder) / f"{name}_scored.jpg") as drawn:
            drawn.thumbnail((1200, 1200))
            drawn.save(PICTURES / "scored_photo.jpg", quality=82, optimize=True)


def make_refereed_shot() -> None:
    """A foul in the sample round as the referee saw it, as a short film that any page can show."""
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "seen.mp4"
        clip = str(CLIPS / "round.mp4")
        crokinole(["watch", clip, "--overlay-video", str(seen), "--events", f"{folder}/events"])
        frames, step_ms = _shot_frames(seen)
    waits = [step_ms] * (len(frames) - 1) + [_LAST_MS]
    frames[0].save(
        PICTURES / "refereed_shot.webp",
        save_all=True,
        append_images=frames[1:],
        duration=waits,
        loop=0,
        quality=55,
        method=6,
    )


def _shot_frames(film: Path) -> tuple[list[Image.Image], int]:
    """The frames of the shot, cut to the board, and the milliseconds of each."""
    frames: list[Image.Image] = []
    with av.open(str(film)) as container:
        rate = float(container.streams.video[0].average_rate or 30)
        for index, frame in enumerate(container.decode(video=0)):
            if _SHOT_S[0] <= frame.time <= _SHOT_S[1] and index % _EVERY_FRAME == 0:
                picture = frame.to_image().crop(_SHOT_BOX_PX)
                height = round(picture.height * _SHOT_WIDTH_PX / picture.width)
                frames.append(picture.resize((_SHOT_WIDTH_PX, height), Image.Resampling.LANCZOS))
    return frames, round(1000 * _EVERY_FRAME / rate)


MAKERS = {"scored_photo": make_scored_photo, "refereed_shot": make_refereed_shot}


def main(names: list[str]) -> None:
    """Make the named pictures, or all."""
    PICTURES.mkdir(exist_ok=True)
    for name in names or MAKERS:
        MAKERS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
