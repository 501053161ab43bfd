"""Makes the pictures of README and documentation from the sample pictures and clips.

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

#: A refereed shot of the sample round: its time span, and the visible part of the picture.
_SHOT_S, _SHOT_BOX_PX = (14.2, 16.7), (0, 0, 1060, 716)
_SHOT_WIDTH_PX, _EVERY_FRAME, _LAST_MS = 600, 3, 2000


#: Pictures that are not scored exactly, with the visible reason; all of them lead to a question.
_FAILS = {
    "fails_black_board": "oblique_black_board_black_and_white",
    "fails_steep": "steep_view_walnut_black_and_cream",
}
#: Place of the magnified close call in the overlay of ``scored_photo``.
_CLOSE_BOX_PX = (1480, 0, 1960, 500)


def make_scored_photo() -> None:
    """A photograph with its calls drawn on it."""
    _draw("oblique_birch_red_and_blue", "scored_photo", 1200)


def make_close_call() -> None:
    """A close call as displayed."""
    _draw("oblique_birch_red_and_blue", "close_call", 480, _CLOSE_BOX_PX)


def make_fails() -> None:
    """The misread discs of the sample pictures."""
    for name, still in _FAILS.items():
        _draw(still, name, 900)


def make_calibrated_board() -> None:
    """The picture of the fit that calibration saves."""
    with tempfile.TemporaryDirectory() as folder:
        board, profile = str(STILLS / "empty_cherry_board.jpg"), Path(folder) / "my.json"
        crokinole(["calibrate", board, "--out", str(profile)])
        with Image.open(profile.with_suffix(".jpg")) as fit:
            fit.thumbnail((900, 900))
            fit.save(PICTURES / "calibrated_board.jpg", quality=80, optimize=True)


def _draw(still: str, name: str, width_px: int, box_px: tuple[int, ...] | None = None) -> None:
    """A sample picture with its calls, or a part of it, with the given width."""
    with tempfile.TemporaryDirectory() as folder:
        crokinole(["score", str(STILLS / f"{still}.jpg"), "--overlay", folder])
        with Image.open(Path(folder) / f"{still}_scored.jpg") as drawn:
            shown = drawn.crop(box_px) if box_px else drawn
            shown.thumbnail((width_px, width_px))
            shown.save(PICTURES / f"{name}.jpg", quality=82, optimize=True)


def make_refereed_shot() -> None:
    """A foul in the sample round as the referee saw it, as a short animation that any page can
    show.
    """
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


MAKERS = {
    "scored_photo": make_scored_photo,
    "refereed_shot": make_refereed_shot,
    "close_call": make_close_call,
    "fails": make_fails,
    "calibrated_board": make_calibrated_board,
}


def main(names: list[str]) -> None:
    """Make the named pictures, or all."""
    PICTURES.mkdir(exist_ok=True)
    for name in names or MAKERS:
        MAKERS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
