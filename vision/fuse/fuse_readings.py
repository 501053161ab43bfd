"""Fuses two readings of one board into one state, and lists their differences.

The reading from the higher camera leads: its frame and its lines are used. Bases are fused by
inverse covariance (the maximum-likelihood mean of two normal measurements). If two bases are too
far apart for that (a chi-square test), either may be right, and the covariance of their mixture
covers both. A disc's state and team come from the more confident camera. If both are confident and
differ, the disc is flagged for review. Every difference between "in the hole" and "leaning on its
edge" is also flagged, because in an oblique view even a confident reading may be wrong. A disc that
only one camera sees counts, unless the other camera has a clear view of the place and sees no disc
there. Such a disc is flagged. Until reviewed it counts only if the lead sees it, or if it is in the
hole, where a disc may have the hole's colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.fuse.registration import (
    GATE_M2,
    Registration,
    measure_m2,
    register_readings,
    rotation,
)
from vision.fuse.registration import PARAMS as REGISTRATION
from vision.reading import Reading, UnexplainedCode, UnexplainedObject, UnexplainedReason


class FuseReadingsParameters(StageParameters):
    """Parameters of ``fuse_readings``."""

    #: A camera is certain of a disc from this confidence on.
    sure: float = parameter(
        0.9, unit="probability", source="the same as for a certain call (scorer.zones)"
    )
    #: A camera with this tilt or less is assumed to miss no disc.
    max_clear_tilt_deg: float = parameter(
        45.0,
        unit="°",
        source="measured on photographs and renders with less tilt: 44 of 45 boards were complete",
    )


PARAMS = FuseReadingsParameters()
#: Confidence in a disc on which the cameras disagree: either camera may be right.
_CONFIDENCE_IF_DISPUTED = 0.5


class Difference(StrEnum):
    """A difference between two cameras about a disc."""

    PLACE = "place"
    STATE = "state"
    TEAM = "team"
    PRESENCE = "presence"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FusedDisc:
    """A disc of the fused state, and each camera's own reading of it.

    seen         the disc as seen by the first and by the second camera, None if one saw none; in
                 the fused frame
    differences  for the user to decide
    is_left_out  whether it counts only after the user confirms it
    """

    disc: PlacedDisc
    seen: tuple[PlacedDisc | None, PlacedDisc | None]
    differences: tuple[Difference, ...] = ()
    is_left_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FusedReading:
    """Two readings as one.

    reading    in the board frame and the picture of the lead camera
    lead       index of the lead camera, 0 or 1
    turns_rad  from the cameras' own board frames to the fused one, counter-clockwise
    is_clear   whether discs determined the turn; if not, no disc depends on it
    team_of    fused team numbers of the other camera's teams
    discs      the discs of ``reading.discs`` in order, then those left out
    """

    reading: Reading
    lead: int
    turns_rad: tuple[float, float]
    is_clear: bool
    team_of: Mapping[int, int]
    discs: tuple[FusedDisc, ...]


def fuse_readings(
    first: Reading, second: Reading, known_rad: float | None = None
) -> FusedReading | None:
    """The fused state of two readings with boards; None if the turn between them is ambiguous.

    ``known_rad`` is the turn from the lower camera's board frame to the higher one's, if earlier
    readings determined it. Raises ``ValueError`` for a reading without a board.
    """
    if first.board is None or second.board is None:
        raise ValueError("two boards are needed to fuse their readings")
    readings = (first, second)
    lead = int(_tilt_deg(second) < _tilt_deg(first))
    found = register_readings(readings[lead], readings[1 - lead], known_rad)
    if found is None:
        return None
    fusion = _Fusion(readings[lead], readings[1 - lead], found)
    discs = [_order(disc, lead) for disc in fusion.fuse_discs()]
    turns = (0.0, found.turn_rad) if lead == 0 else (found.turn_rad, 0.0)
    reading = replace(
        readings[lead],
        disc=min((first.disc, second.disc), key=lambda spec: spec.radius_sigma_mm),
        teams=fusion.teams,
        discs=tuple(disc.disc for disc in discs if not disc.is_left_out),
        unexplained=(
            *fusion.list_unexplained(),
            *(
                UnexplainedObject(
                    centre_mm=disc.disc.centre_mm, reason=UnexplainedReason.SEEN_BY_ONE
                )
                for disc in discs
                if disc.is_left_out
            ),
        ),
        notes=fusion.list_notes(),
    )
    return FusedReading(
        reading=reading,
        lead=lead,
        turns_rad=turns,
        is_clear=found.is_clear,
        team_of=fusion.number_of,
        discs=tuple(discs),
    )


def turn_disc(disc: PlacedDisc, angle_rad: float) -> PlacedDisc:
    """The disc in a board frame turned clockwise by ``angle_rad``."""
    turn = rotation(angle_rad)
    return replace(
        disc, centre_mm=turn @ disc.centre_mm, covariance_mm2=turn @ disc.covariance_mm2 @ turn.T
    )


def _tilt_deg(reading: Reading) -> float:
    assert reading.board is not None
    return reading.board.view.cam_from_board.tilt_deg


def _order(fused: FusedDisc, lead: int) -> FusedDisc:
    """The cameras' readings, the first camera's first."""
    return fused if lead == 0 else replace(fused, seen=fused.seen[::-1])


class _Fusion:
    """Two registered readings, the lead's first; ``teams`` are the teams of both, and ``number_of``
    is the fused number of every team in the other reading.
    """

    def __init__(self, lead: Reading, other: Reading, found: Registration) -> None:
        self._lead, self._found = lead, found
        self.teams, self.number_of = _join_teams(lead.teams, other.teams, found.team_of)
        self._other = replace(
            other,
            discs=tuple(
                replace(turn_disc(disc, found.turn_rad), team=self.number_of[disc.team])
                for disc in other.discs
            ),
        )
        self._turn = rotation(found.turn_rad)

    def fuse_discs(self) -> list[FusedDisc]:
        """Every disc that either camera saw, fused."""
        lead, other = self._lead.discs, self._other.discs
        paired = dict(self._found.pairs)
        fused = [
            _fuse_pair(disc, other[paired[i]]) if i in paired else self._take_alone(disc, 0)
            for i, disc in enumerate(lead)
        ]
        known = set(paired.values())
        alone = [self._take_alone(disc, 1) for j, disc in enumerate(other) if j not in known]
        return sorted((*fused, *alone), key=lambda disc: disc.is_left_out)

    def list_unexplained(self) -> tuple[UnexplainedObject, ...]:
        """The unexplained places. The lead's places count unless the other camera has a certain
        disc or a clear view there; the other's count only if the lead has no clear view.
        """
        turned = [
            replace(item, centre_mm=self._turn @ item.centre_mm) for item in self._other.unexplained
        ]
        hidden = (item for item in turned if not self._has_clear_view(0, item.centre_mm))
        own = (
            item
            for item in self._lead.unexplained
            if not (self._is_settled(item, turned) or self._is_seen_by_other(item))
        )
        return (*own, *hidden)

    def _is_seen_by_other(self, unexplained: UnexplainedObject) -> bool:
        """Whether only the lead's view of the place is hidden by a reflection, and the other's view
        is clear.
        """
        is_unseen = unexplained.code is UnexplainedCode.NOT_SEEN
        return is_unseen and self._has_clear_view(1, unexplained.centre_mm)

    def _is_settled(
        self, unexplained: UnexplainedObject, others: Sequence[UnexplainedObject]
    ) -> bool:
        """Whether both see a disc at the lead's unexplained place, and the other has no question
        about it.
        """
        near_mm = self._lead.disc.radius_mm
        settled = any(
            self._other.discs[j].confidence >= PARAMS.sure
            and _is_near(self._other.discs[j].centre_mm, unexplained.centre_mm, near_mm)
            for _, j in self._found.pairs
        )
        return settled and not any(
            _is_near(other.centre_mm, unexplained.centre_mm, 2 * near_mm) for other in others
        )

    def list_notes(self) -> tuple[str, ...]:
        """Notes for the user; the other camera's only if the lead has no clear view."""
        if _tilt_deg(self._lead) < PARAMS.max_clear_tilt_deg:
            return self._lead.notes
        return tuple(dict.fromkeys((*self._lead.notes, *self._other.notes)))

    def _take_alone(self, disc: PlacedDisc, camera: int) -> FusedDisc:
        """A disc that only one camera saw; flagged if the other camera has a clear view of its
        place.
        """
        is_disputed = self._has_clear_view(1 - camera, disc.centre_mm)
        if is_disputed:
            disc = replace(disc, confidence=min(disc.confidence, _CONFIDENCE_IF_DISPUTED))
        return FusedDisc(
            disc=disc,
            seen=(disc, None) if camera == 0 else (None, disc),
            differences=(Difference.PRESENCE,) if is_disputed else (),
            is_left_out=is_disputed and camera == 1 and disc.state is not DiscState.IN_HOLE,
        )

    def _has_clear_view(self, camera: int, place_mm: FloatArray) -> bool:
        """Whether the camera has a clear view of a place in the fused frame: its tilt is small
        enough, and the place is not one of its unexplained ones.
        """
        reading = (self._lead, self._other)[camera]
        own_mm = place_mm if camera == 0 else self._turn.T @ place_mm
        if _tilt_deg(reading) > PARAMS.max_clear_tilt_deg:
            return False
        clear_mm = 2 * REGISTRATION.same_radii * reading.disc.radius_mm
        return all(
            float(np.linalg.norm(item.centre_mm - own_mm)) > clear_mm
            for item in reading.unexplained
        )


def _fuse_pair(one: PlacedDisc, two: PlacedDisc) -> FusedDisc:
    """One disc from the two cameras' readings of it, in one frame."""
    surer = one if one.confidence >= two.confidence else two
    are_sure = min(one.confidence, two.confidence) >= PARAMS.sure
    differences = []
    if one.team != two.team:
        differences.append(Difference.TEAM)
    is_same_state = one.state is two.state or (_is_flat(one) and _is_flat(two))
    at_hole = {one.state, two.state} == {DiscState.IN_HOLE, DiscState.LEANING}
    if not is_same_state and (are_sure or at_hole):
        differences.append(Difference.STATE)
    centre_mm, covariance_mm2 = surer.centre_mm, surer.covariance_mm2
    if is_same_state:
        if _is_flat(one) and measure_m2(one, two, 0.0, 0.0) > GATE_M2:
            differences.append(Difference.PLACE)
            centre_mm, covariance_mm2 = _mix_bases(one, two)
        else:
            centre_mm, covariance_mm2 = _average_bases(one, two)
    is_disputed = Difference.TEAM in differences or Difference.STATE in differences
    disc = replace(
        surer,
        centre_mm=centre_mm,
        covariance_mm2=covariance_mm2,
        confidence=min(surer.confidence, _CONFIDENCE_IF_DISPUTED)
        if is_disputed
        else surer.confidence,
    )
    return FusedDisc(disc=disc, seen=(one, two), differences=tuple(differences))


def _is_near(one_mm: FloatArray, other_mm: FloatArray, within_mm: float) -> bool:
    return float(np.linalg.norm(one_mm - other_mm)) < within_mm


def _is_flat(disc: PlacedDisc) -> bool:
    """Whether its base decides its score: flat, or over the surface's edge and therefore outside
    all lines.
    """
    return disc.state in (DiscState.FLAT, DiscState.OVERHANGING)


def _average_bases(one: PlacedDisc, two: PlacedDisc) -> tuple[FloatArray, FloatArray]:
    """Mean (2,) of two bases by inverse covariance, and its covariance (2, 2)."""
    share = one.covariance_mm2 @ np.linalg.inv(one.covariance_mm2 + two.covariance_mm2)
    centre_mm = one.centre_mm + share @ (two.centre_mm - one.centre_mm)
    covariance = one.covariance_mm2 - share @ one.covariance_mm2
    return centre_mm, (covariance + covariance.T) / 2


def _mix_bases(one: PlacedDisc, two: PlacedDisc) -> tuple[FloatArray, FloatArray]:
    """Mean (2,) and covariance (2, 2) of two equally likely bases (the moments of a mixture of two
    normal distributions).
    """
    half = (two.centre_mm - one.centre_mm) / 2
    covariance = (one.covariance_mm2 + two.covariance_mm2) / 2 + np.outer(half, half)
    return one.centre_mm + half, covariance


def _join_teams(
    lead: tuple[Team, ...], other: tuple[Team, ...], team_of: Mapping[int, int]
) -> tuple[tuple[Team, ...], dict[int, int]]:
    """The lead's teams, then those that only the other saw; and the fused numbers of the other's
    teams.
    """
    number_of, teams = dict(team_of), list(lead)
    for other_team in other:
        if other_team.number not in number_of:
            number_of[other_team.number] = max((team.number for team in teams), default=-1) + 1
            teams.append(replace(other_team, number=number_of[other_team.number]))
    return tuple(teams), number_of
