"""The calibration wizard's detector: boards and discs measured in picture files.

Every answer is a fresh reading of a whole picture (``find_board``, ``find_discs``). If something
cannot be found, a sentence names the remedy. All results are in pixels of the stored upright
picture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from calibration.board import EmptyHole
from calibration.fit import BoardFit
from calibration.lens_prior import LensPrior
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase, finish, join
from calibration.placed_disc import DiscState, PlacedDisc
from calibration.pose import View
from calibration.wizard.steps import MeasuredDisc, NoDetection, NoDisc, PictureDetection
from vision.board.find_board import NoBoard, build_lens_prior, find_board, find_board_near
from vision.board.quality import explain_missing_board, measure_quality
from vision.discs.find_discs import DiscReading, find_discs, measure_disc_size, measure_empty_hole
from vision.io.frame import MAX_PIXELS, Frame, UnreadablePicture, read_frame


class WizardDetectorParameters(StageParameters):
    """Parameters of ``wizard_detector``."""

    #: A click selects the disc whose middle is within this many radii.
    click_radii: float = parameter(
        1.3, unit="radii", source="chosen: a click just outside a disc still means it"
    )


PARAMS = WizardDetectorParameters()


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

    def measure_disc(
        self, detection: PictureDetection, at_px: tuple[float, float]
    ) -> MeasuredDisc | NoDisc:
        """The disc at a place (x, y) in the stored picture, measured with all discs of its
        colour.
        """
        frame = self.read(detection.picture)
        if isinstance(frame, UnreadablePicture):
            return NoDisc(reason=frame.reason)
        fit = detection.fit.rescale(frame.scale)
        reading = find_discs(frame.image, fit)
        at = np.array([at_px]) * frame.scale
        click_mm = fit.view.unproject_plane(at, z_mm=reading.disc.height_mm)[0]
        return _measure_at(frame, fit, reading, click_mm)

    def measure_disc_per_colour(self, detection: PictureDetection) -> tuple[MeasuredDisc, ...]:
        """One measured disc of every colour on the board, the lightest first."""
        frame = self.read(detection.picture)
        if isinstance(frame, UnreadablePicture):
            return ()
        fit = detection.fit.rescale(frame.scale)
        reading = find_discs(frame.image, fit)
        flat = [disc for disc in reading.discs if disc.state is DiscState.FLAT]
        freest = {
            team: max(
                (disc for disc in flat if disc.team == team),
                key=lambda d: _clearance_mm(d, reading),
            )
            for team in {disc.team for disc in flat}
        }
        measured = (_measure_at(frame, fit, reading, disc.centre_mm) for disc in freest.values())
        found = [disc for disc in measured if isinstance(disc, MeasuredDisc)]
        return tuple(sorted(found, key=lambda disc: -sum(disc.colour_rgb)))

    def measure_empty_hole(self, detection: PictureDetection) -> EmptyHole | None:
        """The appearance of the hole; None if a disc may be in it or over it, or it is not
        visible.
        """
        frame = self.read(detection.picture)
        if isinstance(frame, UnreadablePicture):
            return None
        return measure_empty_hole(frame.image, detection.fit.rescale(frame.scale))


def _clearance_mm(disc: PlacedDisc, reading: DiscReading) -> float:
    """Distance from a disc to its nearest neighbour."""
    others = [placed_disc.centre_mm for placed_disc in reading.discs if placed_disc is not disc]
    return min((float(np.linalg.norm(disc.centre_mm - other)) for other in others), default=np.inf)


def _measure_at(
    frame: Frame, fit: BoardFit, reading: DiscReading, click_mm: np.ndarray
) -> MeasuredDisc | NoDisc:
    """The size of the discs that have the colour of the disc at ``click_mm`` (2,)."""
    flat = [disc for disc in reading.discs if disc.state is DiscState.FLAT]
    distance_mm = [float(np.linalg.norm(disc.centre_mm - click_mm)) for disc in flat]
    nearest = int(np.argmin(distance_mm)) if flat else -1
    if not flat or distance_mm[nearest] > PARAMS.click_radii * reading.disc.radius_mm:
        return NoDisc(
            reason=(
                Phrase(
                    "No disc was found there. Tap the centre of a disc that lies flat "
                    "on the board and touches nothing."
                )
            )
        )
    chosen = flat[nearest]
    alike = [disc for disc in flat if disc.team == chosen.team]
    bases_mm = np.array([disc.centre_mm for disc in alike])
    team = next(team for team in reading.teams if team.number == chosen.team)
    return MeasuredDisc(
        centre_mm=chosen.centre_mm,
        colour_rgb=team.colour_rgb,
        colour_name=team.colour_name,
        size=measure_disc_size(frame.image, fit, bases_mm),
    )


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
