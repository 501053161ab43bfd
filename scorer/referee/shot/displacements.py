"""Displacements of discs between two boards at rest, by registration of their pictures.

Two readings of a place differ by a millimetre or more even without motion. Registration of the
disc's pictures (``vision.track.at_rest.patch_registration``), after removing the camera's tremble
(``vision.track.steady``), measures a tenth of that. Its accuracy is estimated from the discs that
did not move. If the pictures cannot be compared, because the view changed or the disc is hidden,
the readings decide. A result between the clear ones makes the disc ``unsure``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.referee.disc_identities import BoardChange, NamedDisc
from vision.io.timed_frame import CameraImage
from vision.track.at_rest.patch_registration import measure_disc_shift_mm
from vision.track.events import BoardAtRest
from vision.track.steady.picture_registration import find_board_edges
from vision.track.steady.steadied_image import SteadiedImage


class DisplacementsParameters(StageParameters):
    """Parameters of ``displacements``."""

    #: Limits for a shift measured by pictures: above the first, the disc was moved; below the
    #: second, it was not; in between, it is unsure.
    displaced_mm: float = parameter(
        0.6, unit="mm", source="chosen: six sigmas: pictures of an unmoved disc match to 0.1 mm"
    )
    undisplaced_mm: float = parameter(
        0.3,
        unit="mm",
        source="chosen: three sigmas; also the distance that a disc struck at 25 mm/s slides "
        "at friction 0.1",
    )
    #: Shifts from two cameras contradict each other if they differ by more than this many sigmas.
    contradiction_sigmas: float = parameter(
        3.0, unit="σ", source="normal noise: exceeded once in 370"
    )
    #: Limit for a shift between two readings: above it, the disc was moved.
    clearly_moved_mm: float = parameter(
        4.0,
        unit="mm",
        source="chosen: over five sigmas of the difference of two places of 0.5 mm per axis",
    )
    #: One sigma of a shift by pictures, per axis; its weight, in discs, against the scatter of
    #: other unmoved discs; and its minimum.
    picture_sigma_mm: float = parameter(
        0.1,
        unit="mm",
        source="measured on discs that nothing touched in films of real boards: 0.02 to 0.19 mm",
    )
    picture_sigma_discs: float = parameter(
        2.0, unit="", source="chosen: two other discs have the same weight"
    )
    #: The shift shared by all discs is estimated as if this many more discs had a shift of zero.
    unshared_discs: float = parameter(
        1.0, unit="", source="chosen: the error of aligned pictures is that of one disc"
    )
    least_sigma_px: float = parameter(
        0.1,
        unit="px",
        source="measured in compressed clips of discs moved by 0.2 px: 0.02 to 0.2 px",
    )
    #: One sigma of the difference of two readings, per axis.
    reading_sigma_mm: float = parameter(
        0.7, unit="mm", source="chosen: two places of 0.49 mm per coordinate (``rules.contacts``)"
    )
    #: A shift by pictures of at least this many sigmas is real, whichever discs came near, if the
    #: readings agree with it to within this distance.
    plain_sigmas: float = parameter(
        12.0,
        unit="σ",
        source="measured on 290 discs that nothing touched in films: the worst at 8.5",
    )
    agreement_mm: float = parameter(
        1.5, unit="mm", source="chosen: two sigmas of the difference of two readings"
    )
    #: Below this contrast with the board, the reading of a disc may be wrong, and its pictures are
    #: used.
    misread_mm: float = parameter(15.0, unit="mm", source="chosen: half the diameter of a disc")


PARAMS = DisplacementsParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shift:
    """The displacement (2,) of a disc, and one sigma of it per axis.

    by_pictures  found by registration, not from two readings
    is_plain     whether the disc clearly moved, even if nothing was seen near it
    """

    vector_mm: FloatArray
    sigma_mm: float
    by_pictures: bool
    is_plain: bool = False

    @property
    def mm(self) -> float:
        """Length of the displacement."""
        return float(np.linalg.norm(self.vector_mm))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Displacements:
    """The displacements of discs other than the shooter's.

    moved_mm  distances of moved discs, by name; infinite for those that are gone
    shifts    displacements of discs that are still there and moved little or not at all, by name
    """

    moved_mm: Mapping[str, float]
    shifts: Mapping[str, Shift]

    @property
    def unsure(self) -> frozenset[str]:
        """Names of discs that may have moved: no picture shows that they did not."""
        return frozenset(
            name
            for name, shift in self.shifts.items()
            if name not in self.moved_mm
            and not (shift.by_pictures and shift.mm <= PARAMS.undisplaced_mm)
        )


def measure_displacements(
    before: Sequence[NamedDisc],
    change: BoardChange,
    shooter: str,
    earlier: BoardAtRest | None,
    at_rest: BoardAtRest,
) -> Displacements:
    """The discs moved between two boards, and the apparent displacements of those that stayed.

    ``earlier`` is the board before ``at_rest``. Without it, or if the view changed in between, only
    readings decide.
    """
    moved = {disc.name: math.inf for disc in change.gone if disc.name != shooter}
    stayed = [disc for disc in before if disc.name != shooter and disc.name in change.moved_mm]
    now_mm = {disc.name: disc.place_mm for disc in change.now}
    readings = {disc.name: np.asarray(now_mm[disc.name] - disc.place_mm) for disc in stayed}
    pictures = _register_shifts_mm(stayed, readings, earlier, at_rest)
    shifts = {}
    for disc in stayed:
        read_mm = float(np.linalg.norm(readings[disc.name]))
        least_mm = PARAMS.least_sigma_px * at_rest.fit.view.mm_per_px(disc.place_mm)
        shift = _make_shift(disc.name, readings[disc.name], pictures, least_mm)
        has_moved = shift.mm > (
            PARAMS.displaced_mm if shift.by_pictures else PARAMS.clearly_moved_mm / 2
        )
        is_far = has_moved and read_mm > PARAMS.clearly_moved_mm
        if has_moved:
            moved[disc.name] = read_mm if is_far else shift.mm
        if not is_far and shift.mm < PARAMS.clearly_moved_mm:
            shifts[disc.name] = shift
    return Displacements(moved_mm=moved, shifts=shifts)


def combine_displacements(one: Displacements, other: Displacements) -> Displacements:
    """The displacements from two cameras. For a disc that both register it is the weighted mean,
    unless the two contradict each other; otherwise it is the more informative camera's.
    """
    moved, shifts = dict(one.moved_mm), dict(one.shifts)
    for name, theirs in other.shifts.items():
        if name not in shifts:
            continue  # it clearly moved, or is gone
        shift = _combine_shifts(shifts[name], theirs)
        if shift is shifts[name]:
            continue
        shifts[name] = shift
        moved.pop(name, None)
        if shift.mm > PARAMS.displaced_mm:
            moved[name] = shift.mm
    return Displacements(moved_mm=moved, shifts=shifts)


def _combine_shifts(one: Shift, other: Shift) -> Shift:
    """One disc's displacement from two cameras."""
    if not other.by_pictures:
        return one  # readings are the same for both
    if not one.by_pictures:
        return other
    differs_mm = float(np.linalg.norm(one.vector_mm - other.vector_mm))
    if differs_mm > PARAMS.contradiction_sigmas * math.hypot(one.sigma_mm, other.sigma_mm):
        return max(one, other, key=lambda shift: shift.mm)
    weights = one.sigma_mm**-2, other.sigma_mm**-2
    mean_mm = (weights[0] * one.vector_mm + weights[1] * other.vector_mm) / sum(weights)
    return Shift(vector_mm=mean_mm, sigma_mm=sum(weights) ** -0.5, by_pictures=True)


def _register_shifts_mm(
    stayed: Sequence[NamedDisc],
    readings_mm: Mapping[str, FloatArray],
    earlier: BoardAtRest | None,
    at_rest: BoardAtRest,
) -> dict[str, FloatArray | None]:
    """Displacements (2,) in mm by registration of the pictures, by name; None if they cannot be
    compared.
    """
    near = [disc for disc in stayed if np.linalg.norm(readings_mm[disc.name]) < PARAMS.misread_mm]
    found: dict[str, FloatArray | None] = dict.fromkeys(disc.name for disc in stayed)
    if not near or earlier is None or earlier.fit is not at_rest.fit:
        return found
    image = _align_picture(earlier, at_rest)
    for disc in near:
        reading_mm = readings_mm[disc.name]
        found[disc.name] = _register_shift_mm(disc, reading_mm, earlier, at_rest, image)
    return found


def _align_picture(earlier: BoardAtRest, now: BoardAtRest) -> np.ndarray:
    """The picture (h, w, 3) of ``now``, aligned with that of ``earlier``, by the board in both; the
    same if too little of the board shows.

    If a camera trembles by a tenth of a pixel, all discs seem to move in the same way.
    """
    discs_mm = [disc.centre_mm for disc in (*earlier.board.discs, *now.board.discs)]
    edges = find_board_edges(CameraImage(earlier.image), earlier.fit, discs_mm)
    picture = CameraImage(now.image)
    warp = edges.fit_homography(picture, np.eye(3))
    return now.image if warp is None else SteadiedImage(picture, warp).bgr


def _make_shift(
    name: str,
    reading_mm: FloatArray,
    pictures_mm: Mapping[str, FloatArray | None],
    least_sigma_mm: float,
) -> Shift:
    """A disc's displacement, with the accuracy estimated from the pictures of the other unmoved
    discs; a shift common to all is due to the camera or the light.
    """
    mine_mm = pictures_mm[name]
    if mine_mm is None:
        return Shift(vector_mm=reading_mm, sigma_mm=PARAMS.reading_sigma_mm, by_pictures=False)
    others_mm = np.array(
        [
            picture_mm
            for other, picture_mm in pictures_mm.items()
            if other != name
            and picture_mm is not None
            and np.linalg.norm(picture_mm) < PARAMS.displaced_mm
        ]
    ).reshape(-1, 2)
    shared_mm = others_mm.sum(axis=0) / (len(others_mm) + PARAMS.unshared_discs)
    square = PARAMS.picture_sigma_discs * PARAMS.picture_sigma_mm**2
    square += float(((others_mm - shared_mm) ** 2).sum()) / 2
    sigma_mm = math.sqrt(square / (PARAMS.picture_sigma_discs + len(others_mm)))
    shift = Shift(
        vector_mm=mine_mm - shared_mm, sigma_mm=max(sigma_mm, least_sigma_mm), by_pictures=True
    )
    is_alike = float(np.linalg.norm(shift.vector_mm - reading_mm)) < PARAMS.agreement_mm
    return replace(shift, is_plain=is_alike and shift.mm > PARAMS.plain_sigmas * shift.sigma_mm)


def _register_shift_mm(
    old: NamedDisc,
    reading_mm: FloatArray,
    earlier: BoardAtRest,
    at_rest: BoardAtRest,
    image: np.ndarray,
) -> FloatArray | None:
    """Displacement (2,) in mm from ``earlier``'s picture to ``image``, small or about that of two
    readings; None if they differ.
    """
    disc = at_rest.board.disc
    places = [placed_disc.centre_mm for placed_disc in (*earlier.board.discs, *at_rest.board.discs)]
    others = [place for place in places if np.linalg.norm(place - old.place_mm) > disc.radius_mm]
    return measure_disc_shift_mm(
        earlier.image,
        image,
        at_rest.fit.view,
        old.place_mm,
        disc,
        np.array(others).reshape(-1, 2),
        reading_mm,
    )
