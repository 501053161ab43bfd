"""The calibration wizard's detector: boards and discs measured in picture files.

Every answer is a fresh reading of a whole picture, as of a photo (``find_board``, ``read_discs``).
If something cannot be found, a sentence names the remedy. All results are in pixels of the stored
upright picture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from calibration.board import EmptyHole
from calibration.fit import BoardFit
from calibration.lens_prior import LensPrior
from calibration.phrase import finish, join
from calibration.placed_disc import DiscState
from calibration.pose import View
from calibration.wizard.steps import MeasuredDisc, NoDetection, PictureDetection
from vision.board.find_board import NoBoard, build_lens_prior, find_board, find_board_near
from vision.board.quality import explain_missing_board, measure_quality
from vision.discs.find_discs import measure_empty_hole
from vision.io.frame import MAX_PIXELS, Frame, UnreadablePicture, read_frame
from vision.read_discs import read_discs


class PictureFileDetector:
    """Finds boards and discs in picture files. It stores nothing: every call reads its picture
    again.
    """

    def __init__(
        self, find_path: Callable[[str], Path] = Path, *, max_pixels: int = MAX_PIXELS
    ) -> None:
        """``find_path`` finds a picture's file by its name; larger pictures are refused before
        decoding.
        """
        self._find_path, self._max_pixels = find_path, max_pixels

    def read(self, picture: str) -> Frame | UnreadablePicture:
        """The picture with this name."""
        frame = read_frame(self._find_path(picture), max_pixels=self._max_pixels)
        return replace(frame, name=picture)

    def find(self, picture: str) -> PictureDetection | NoDetection:
        """The board in a picture, found without help."""
        frame = self.read(picture)
        if isinstance(frame, UnreadablePicture):
            return NoDetection(picture=picture, reason=frame.reason)
        found = find_board(frame)
        if isinstance(found, NoBoard):
            return _make_no_detection(frame, found.reason)
        return _make_detection(frame, found.fit, None, found.notes)

    def find_near(
        self, picture: str, start: View, lens: LensPrior | None = None
    ) -> PictureDetection | NoDetection:
        """The board whose rings are near a rough view, with the assumed lens."""
        frame = self.read(picture)
        if isinstance(frame, UnreadablePicture):
            return NoDetection(picture=picture, reason=frame.reason)
        known = lens.rescale(frame.scale) if lens else None
        found = find_board_near(frame, start.rescale(frame.scale), known)
        if isinstance(found, NoBoard):
            return _make_no_detection(frame, found.reason)
        return _make_detection(frame, found.fit, lens, found.notes)

    def read_discs(
        self, detection: PictureDetection
    ) -> tuple[tuple[MeasuredDisc, ...], EmptyHole | None]:
        """The flat discs on the board, the lightest colour first, with the size of all discs; and
        the appearance of the hole, or None if a disc may be in it or over it, or it is not visible.
        """
        frame = self.read(detection.picture)
        if isinstance(frame, UnreadablePicture):
            return (), None
        fit = detection.fit.rescale(frame.scale)
        reading = read_discs(frame.image, fit)
        teams = {team.number: team for team in reading.teams}
        discs = [
            MeasuredDisc(
                centre_mm=disc.centre_mm,
                colour_rgb=teams[disc.team].colour_rgb,
                colour_name=teams[disc.team].colour_name,
                size=reading.disc,
            )
            for disc in reading.discs
            if disc.state is DiscState.FLAT
        ]
        discs.sort(key=lambda disc: -sum(disc.colour_rgb))
        return tuple(discs), measure_empty_hole(frame.image, fit, reading)


def _make_detection(
    frame: Frame, fit: BoardFit, lens: LensPrior | None, notes: tuple[str, ...]
) -> PictureDetection:
    stored = fit.rescale(1.0 / frame.scale)
    return PictureDetection(
        picture=frame.name,
        width_px=frame.width_px,
        height_px=frame.height_px,
        fit=stored,
        single_picture_fit=stored,
        lens=lens or build_lens_prior(frame).rescale(1.0 / frame.scale),
        quality=measure_quality(frame, fit),
        notes=(*frame.notes, *notes),
    )


def _make_no_detection(frame: Frame, reason: str) -> NoDetection:
    advice = explain_missing_board(frame)
    sentences = (finish(reason), *((advice.words,) if advice else ()))
    return NoDetection(
        picture=frame.name,
        reason=join(" ", sentences),
        width_px=frame.width_px,
        height_px=frame.height_px,
        lens=build_lens_prior(frame).rescale(1.0 / frame.scale),
    )
