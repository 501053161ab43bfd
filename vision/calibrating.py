"""The calibration wizard's eye: what it asks of a picture, answered by looking at the file.

Knows which measurement answers which question. Refuses to know steps (see ``calibration.wizard``).
Everything it returns is in pixels of the stored upright picture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from calibration.fit import BoardFit, LensPrior
from calibration.pose import View
from calibration.state import DiscState, PlacedDisc
from calibration.wizard import MeasuredDisc, NoDisc, Sighting, Unseen
from vision.board import NoBoard, find_board, find_board_near, usual_lens
from vision.discs import DiscReading, find_discs, measure_size
from vision.frame import MAX_PIXELS, Frame, Unreadable, read_frame
from vision.quality import measure_quality, why_nothing_shows

#: A click counts for the disc whose middle lies within so many radii.
_CLICK_RADII = 1.3


class PictureEye:
    """Looks at picture files. Keeps nothing: every question reads its picture again."""

    def __init__(
        self, where: Callable[[str], Path] = Path, *, max_pixels: int = MAX_PIXELS
    ) -> None:
        """``where`` finds a picture's file by its name; larger ones are refused undecoded."""
        self._where, self._max_pixels = where, max_pixels

    def read(self, picture: str) -> Frame | Unreadable:
        """The picture of that name."""
        frame = read_frame(self._where(picture), max_pixels=self._max_pixels)
        return replace(frame, name=picture)

    def find(self, picture: str) -> Sighting | Unseen:
        """The board in a picture, found without help."""
        frame = self.read(picture)
        if isinstance(frame, Unreadable):
            return Unseen(picture=picture, reason=frame.reason)
        found = find_board(frame)
        if isinstance(found, NoBoard):
            return _unseen(frame, found.reason)
        return _sighting(frame, found.fit, None, found.notes)

    def find_near(
        self, picture: str, start: View, lens: LensPrior | None = None
    ) -> Sighting | Unseen:
        """The board whose rings lie near a rough view, with what is believed of the lens."""
        frame = self.read(picture)
        if isinstance(frame, Unreadable):
            return Unseen(picture=picture, reason=frame.reason)
        known = lens.scaled(frame.scale) if lens else None
        found = find_board_near(frame, start.scaled(frame.scale), known)
        if isinstance(found, NoBoard):
            return _unseen(frame, found.reason)
        return _sighting(frame, found.fit, lens, found.notes)

    def measure_disc(self, sighting: Sighting, at_px: tuple[float, float]) -> MeasuredDisc | NoDisc:
        """The disc at a place in the picture."""
        frame = self.read(sighting.picture)
        if isinstance(frame, Unreadable):
            return NoDisc(reason=frame.reason)
        fit = sighting.fit.scaled(frame.scale)
        reading = find_discs(frame.image, fit)
        at = np.array([at_px]) * frame.scale
        where_mm = fit.view.lift(at, z_mm=reading.disc.height_mm)[0]
        return _measured(frame, fit, reading, where_mm)

    def clear_discs(self, sighting: Sighting) -> tuple[MeasuredDisc, ...]:
        """One disc of each colour that lies on the board, measured."""
        frame = self.read(sighting.picture)
        if isinstance(frame, Unreadable):
            return ()
        fit = sighting.fit.scaled(frame.scale)
        reading = find_discs(frame.image, fit)
        flat = [disc for disc in reading.discs if disc.state is DiscState.FLAT]
        freest = {
            team: max(
                (disc for disc in flat if disc.team == team), key=lambda d: _room_mm(d, reading)
            )
            for team in {disc.team for disc in flat}
        }
        measured = (_measured(frame, fit, reading, disc.centre_mm) for disc in freest.values())
        found = [disc for disc in measured if isinstance(disc, MeasuredDisc)]
        return tuple(sorted(found, key=lambda disc: -sum(disc.colour_rgb)))


def _room_mm(disc: PlacedDisc, reading: DiscReading) -> float:
    """Distance from a disc to its nearest neighbour."""
    others = [each.centre_mm for each in reading.discs if each is not disc]
    return min((float(np.linalg.norm(disc.centre_mm - other)) for other in others), default=np.inf)


def _measured(
    frame: Frame, fit: BoardFit, reading: DiscReading, where_mm: np.ndarray
) -> MeasuredDisc | NoDisc:
    """The size of the discs of that colour whose one lies at ``where_mm`` (2,)."""
    flat = [disc for disc in reading.discs if disc.state is DiscState.FLAT]
    away_mm = [float(np.linalg.norm(disc.centre_mm - where_mm)) for disc in flat]
    nearest = int(np.argmin(away_mm)) if flat else -1
    if not flat or away_mm[nearest] > _CLICK_RADII * reading.disc.radius_mm:
        return NoDisc(
            reason="No disc was made out there; point at the middle of one that lies flat on the "
            "board, free of the others."
        )
    chosen = flat[nearest]
    alike = [disc for disc in flat if disc.team == chosen.team]
    feet_mm = np.array([disc.centre_mm for disc in alike])
    team = next(team for team in reading.teams if team.number == chosen.team)
    return MeasuredDisc(
        centre_mm=chosen.centre_mm,
        colour_rgb=team.colour_rgb,
        colour_name=team.colour_name,
        size=measure_size(frame.image, fit, feet_mm),
    )


def _sighting(
    frame: Frame, fit: BoardFit, lens: LensPrior | None, notes: tuple[str, ...]
) -> Sighting:
    stored = fit.scaled(1.0 / frame.scale)
    return Sighting(
        picture=frame.name,
        width_px=frame.width_px,
        height_px=frame.height_px,
        fit=stored,
        alone_fit=stored,
        lens=lens or usual_lens(frame).scaled(1.0 / frame.scale),
        quality=measure_quality(frame, fit),
        notes=(*frame.notes, *notes),
    )


def _unseen(frame: Frame, reason: str) -> Unseen:
    told = (f"{reason[:1].upper()}{reason[1:]}.", why_nothing_shows(frame))
    return Unseen(
        picture=frame.name,
        reason=" ".join(words for words in told if words),
        width_px=frame.width_px,
        height_px=frame.height_px,
        lens=usual_lens(frame).scaled(1.0 / frame.scale),
    )
