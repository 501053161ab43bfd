"""How far discs were displaced between two boards at rest, by registration of their pictures.

Two readings of a place differ by a millimetre or more where nothing moved; registration of the
disc's pictures (``vision.track.at_rest.patch_registration``) tells a tenth of that. Where the
pictures cannot be compared, the view having changed or the disc being hidden, the reading decides;
in between the disc is ``unsure``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.track.at_rest.patch_registration import measure_disc_shift_mm
from vision.track.events import BoardAtRest
from webapp.referee.disc_identities import BoardChange, NamedDisc


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplacementsParameters(StageParameters):
    """What ``displacements`` takes for granted."""

    stage: ClassVar[str] = "referee.shot.displacements"

    #: By pictures: moved from here on, and not touched up to there; unsure between.
    displaced_mm: float = parameter(
        0.6, unit="mm", source="six sigmas: pictures of an unmoved disc match to 0.1 mm"
    )
    undisplaced_mm: float = parameter(
        0.3,
        unit="mm",
        source="three sigmas; a disc struck at 25 mm/s slides so far at friction 0.1",
    )
    #: By readings: moved from here on.
    clearly_moved_mm: float = parameter(
        4.0, unit="mm", source="over five sigmas of the difference of two places of 0.5 mm an axis"
    )
    #: Up to here the reading of a disc of nearly the board's colour may be wrong, and its pictures
    #: are asked.
    misread_mm: float = parameter(15.0, unit="mm", source="chosen: half a diameter")


PARAMS = DisplacementsParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Displacements:
    """How far discs other than the shooter's were moved.

    moved_mm  of those that were, by name; infinite for those that are gone
    unsure    names of discs that may have been touched all the same, if one passed closely
    """

    moved_mm: Mapping[str, float]
    unsure: frozenset[str]


def measure_displacements(
    before: Sequence[NamedDisc],
    change: BoardChange,
    shooter: str,
    earlier: BoardAtRest | None,
    at_rest: BoardAtRest,
) -> Displacements:
    """Which discs were moved between two boards.

    A touch that leaves a disc within 0.3 mm of its place is a graze of under 25 mm/s: of the paths
    that come that close next to none, so such a disc counts as untouched. ``earlier`` is the board
    before ``at_rest``; without it, or where the view changed between, readings alone decide.
    """
    moved = {each.name: float("inf") for each in change.gone if each.name != shooter}
    unsure = set()
    for old in before:
        coarse_mm = change.moved_mm.get(old.name)
        if old.name == shooter or coarse_mm is None:
            continue
        fine_mm = (
            _measure_shift_mm(old, earlier, at_rest) if coarse_mm < PARAMS.misread_mm else None
        )
        is_plain = coarse_mm > PARAMS.clearly_moved_mm and (
            fine_mm is None or fine_mm > PARAMS.displaced_mm
        )
        if is_plain or (fine_mm is None and coarse_mm > PARAMS.clearly_moved_mm / 2):
            fine_mm = coarse_mm
        if fine_mm is None or PARAMS.undisplaced_mm < fine_mm <= PARAMS.displaced_mm:
            unsure.add(old.name)
        elif fine_mm > PARAMS.displaced_mm:
            moved[old.name] = fine_mm
    return Displacements(moved_mm=moved, unsure=frozenset(unsure))


def _measure_shift_mm(
    old: NamedDisc, earlier: BoardAtRest | None, at_rest: BoardAtRest
) -> float | None:
    """Displacement in mm by registration of the pictures; None where they cannot be compared."""
    if earlier is None or earlier.fit is not at_rest.fit:
        return None
    disc = at_rest.board.disc
    places = [each.centre_mm for each in (*earlier.board.discs, *at_rest.board.discs)]
    others = [each for each in places if np.linalg.norm(each - old.place_mm) > disc.radius_mm]
    return measure_disc_shift_mm(
        earlier.image,
        at_rest.image,
        at_rest.fit.view,
        old.place_mm,
        disc,
        np.array(others).reshape(-1, 2),
    )
