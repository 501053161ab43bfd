"""Two readings of one board → one state with the better evidence of each, and their differences.

The reading from higher up leads: its frame and its lines hold. Feet are fused by inverse covariance
(the maximum-likelihood mean of two normal measurements); two feet too far apart for that (a
chi-square test) are taken as a mixture, either of them right, whose covariance covers both. How a
disc lies and whose it is comes from the camera that is surer; where both are sure and differ, it is
left to a person, and so is whether a disc lies in the hole or leans on its edge wherever they
differ: seen from the side even a sure reading of that may be wrong. A disc that one camera alone
sees counts, unless the other has plain sight of the place and sees none there: then a person is
asked, and until then it counts only where the lead sees it, or in the hole, whose colour may be a
disc's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import DiscState, PlacedDisc, Team
from vision.fuse.registration import PARAMS as REGISTRATION
from vision.fuse.registration import (
    Registration,
    measure_m2,
    register_readings,
    rotation,
)
from vision.reading import Reading, UnexplainedCode, UnexplainedObject, UnexplainedReason


class FuseReadingsParameters(StageParameters):
    """Parameters of ``fuse_readings``."""

    stage: ClassVar[str] = "fuse.fuse_readings"

    #: From this confidence on a camera is sure what lies there.
    sure: float = parameter(0.9, unit="probability", source="as a call's: ``scorer.zones``")
    #: A person decides about a disc of which cameras differ.
    doubted: float = parameter(0.5, unit="probability", source="chosen: either may be right")
    #: A camera that looks from no lower than this misses no disc.
    plain_tilt_deg: float = parameter(
        45.0, unit="°", source="photographs and renders under it: 44 of 45 boards complete"
    )


PARAMS = FuseReadingsParameters()


class Difference(StrEnum):
    """A difference between two cameras about a disc."""

    PLACE = "place"
    STATE = "state"
    TEAM = "team"
    PRESENCE = "presence"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FusedDisc:
    """A disc of the fused state, and each camera's reading of it.

    seen         by the first camera and by the second: None where it saw none; in the fused frame
    differences  that a person must decide
    is_left_out  it counts only if a person says so
    """

    disc: PlacedDisc
    seen: tuple[PlacedDisc | None, PlacedDisc | None]
    differences: tuple[Difference, ...] = ()
    is_left_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FusedReading:
    """Two readings as one.

    reading    in the board frame, and the picture, of the camera that leads
    lead       which of the two that is, 0 or 1
    turns_rad  from each camera's own board frame to the fused one, counter-clockwise
    is_clear   whether discs told the turn: else any will do, as none moves with it
    team_of    the fused team number of each of those of the camera that does not lead
    discs      those of ``reading.discs`` in order, then those that were left out
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
    """One state from two readings with boards; None where their turn cannot be told.

    ``known_rad`` is the turn from the lower camera's board frame to the higher one's, where
    earlier readings told it. Raises ``ValueError`` for a reading without a board.
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
    """The disc where a board frame turned clockwise by ``angle_rad`` has it."""
    turn = rotation(angle_rad)
    return replace(
        disc, centre_mm=turn @ disc.centre_mm, covariance_mm2=turn @ disc.covariance_mm2 @ turn.T
    )


def _tilt_deg(reading: Reading) -> float:
    assert reading.board is not None
    return reading.board.view.cam_from_board.tilt_deg


def _order(fused: FusedDisc, lead: int) -> FusedDisc:
    """What each camera gave, first camera first."""
    return fused if lead == 0 else replace(fused, seen=fused.seen[::-1])


class _Fusion:
    """Two registered readings, the lead's first; the ``teams`` of both, and the ``number_of`` each
    of the other's among them."""

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
        """Every disc that either saw, as both together have it."""
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
        """Places that neither explains: the lead's unless the other is sure of the disc there or
        sees
        plainly what the lead does not, and the other's only where the lead has no plain sight."""
        turned = [
            replace(item, centre_mm=self._turn @ item.centre_mm) for item in self._other.unexplained
        ]
        hidden = (item for item in turned if not self._sees_plainly(0, item.centre_mm))
        own = (
            item
            for item in self._lead.unexplained
            if not (self._is_settled(item, turned) or self._is_seen_by_other(item))
        )
        return (*own, *hidden)

    def _is_seen_by_other(self, doubt: UnexplainedObject) -> bool:
        """Whether a reflection hides the place from the lead alone: cameras see it elsewhere."""
        is_unseen = doubt.code is UnexplainedCode.NOT_SEEN
        return is_unseen and self._sees_plainly(1, doubt.centre_mm)

    def _is_settled(self, doubt: UnexplainedObject, others: Sequence[UnexplainedObject]) -> bool:
        """Whether both see a disc where the lead doubts, of which the other has no doubt."""
        near_mm = self._lead.disc.radius_mm
        settled = any(
            self._other.discs[j].confidence >= PARAMS.sure
            and _is_near(self._other.discs[j].centre_mm, doubt.centre_mm, near_mm)
            for _, j in self._found.pairs
        )
        return settled and not any(
            _is_near(other.centre_mm, doubt.centre_mm, 2 * near_mm) for other in others
        )

    def list_notes(self) -> tuple[str, ...]:
        """Places for a person to check: of the other only where the lead does not see plainly."""
        if _tilt_deg(self._lead) < PARAMS.plain_tilt_deg:
            return self._lead.notes
        return tuple(dict.fromkeys((*self._lead.notes, *self._other.notes)))

    def _take_alone(self, disc: PlacedDisc, camera: int) -> FusedDisc:
        """A disc that one camera saw: doubted where the other would see it plainly."""
        is_doubted = self._sees_plainly(1 - camera, disc.centre_mm)
        if is_doubted:
            disc = replace(disc, confidence=min(disc.confidence, PARAMS.doubted))
        return FusedDisc(
            disc=disc,
            seen=(disc, None) if camera == 0 else (None, disc),
            differences=(Difference.PRESENCE,) if is_doubted else (),
            is_left_out=is_doubted and camera == 1 and disc.state is not DiscState.IN_HOLE,
        )

    def _sees_plainly(self, camera: int, place_mm: FloatArray) -> bool:
        """Whether the camera would see what lies at a place of the fused frame: it looks from high
        enough, and nothing that it cannot explain is there."""
        reading = (self._lead, self._other)[camera]
        own_mm = place_mm if camera == 0 else self._turn.T @ place_mm
        if _tilt_deg(reading) > PARAMS.plain_tilt_deg:
            return False
        clear_mm = 2 * REGISTRATION.same_radii * reading.disc.radius_mm
        return all(
            float(np.linalg.norm(item.centre_mm - own_mm)) > clear_mm
            for item in reading.unexplained
        )


def _fuse_pair(one: PlacedDisc, two: PlacedDisc) -> FusedDisc:
    """One disc from what both cameras have of it, in one frame."""
    surer = one if one.confidence >= two.confidence else two
    are_sure = min(one.confidence, two.confidence) >= PARAMS.sure
    differences = []
    if one.team != two.team:
        differences.append(Difference.TEAM)
    lies_alike = one.state is two.state or (_is_flat(one) and _is_flat(two))
    at_hole = {one.state, two.state} == {DiscState.IN_HOLE, DiscState.LEANING}
    if not lies_alike and (are_sure or at_hole):
        differences.append(Difference.STATE)
    centre_mm, covariance_mm2 = surer.centre_mm, surer.covariance_mm2
    if lies_alike:
        if _is_flat(one) and measure_m2(one, two, 0.0, 0.0) > REGISTRATION.gate_m2:
            differences.append(Difference.PLACE)
            centre_mm, covariance_mm2 = _mix_feet(one, two)
        else:
            centre_mm, covariance_mm2 = _average_feet(one, two)
    doubted = Difference.TEAM in differences or Difference.STATE in differences
    disc = replace(
        surer,
        centre_mm=centre_mm,
        covariance_mm2=covariance_mm2,
        confidence=min(surer.confidence, PARAMS.doubted) if doubted else surer.confidence,
    )
    return FusedDisc(disc=disc, seen=(one, two), differences=tuple(differences))


def _is_near(one_mm: FloatArray, other_mm: FloatArray, within_mm: float) -> bool:
    return float(np.linalg.norm(one_mm - other_mm)) < within_mm


def _is_flat(disc: PlacedDisc) -> bool:
    """Whether its foot decides what it scores: over the surface's edge, too, it is beyond lines."""
    return disc.state in (DiscState.FLAT, DiscState.OVERHANGING)


def _average_feet(one: PlacedDisc, two: PlacedDisc) -> tuple[FloatArray, FloatArray]:
    """Mean (2,) of two feet by inverse covariance, and its covariance (2, 2)."""
    share = one.covariance_mm2 @ np.linalg.inv(one.covariance_mm2 + two.covariance_mm2)
    centre_mm = one.centre_mm + share @ (two.centre_mm - one.centre_mm)
    covariance = one.covariance_mm2 - share @ one.covariance_mm2
    return centre_mm, (covariance + covariance.T) / 2


def _mix_feet(one: PlacedDisc, two: PlacedDisc) -> tuple[FloatArray, FloatArray]:
    """Mean (2,) and covariance (2, 2) of a foot that is as likely one as the other (moment-matched
    mixture of two normal distributions)."""
    half = (two.centre_mm - one.centre_mm) / 2
    covariance = (one.covariance_mm2 + two.covariance_mm2) / 2 + np.outer(half, half)
    return one.centre_mm + half, covariance


def _join_teams(
    lead: tuple[Team, ...], other: tuple[Team, ...], team_of: Mapping[int, int]
) -> tuple[tuple[Team, ...], dict[int, int]]:
    """The lead's teams and those that only the other saw, and the number of each of the other's."""
    number_of, teams = dict(team_of), list(lead)
    for each in other:
        if each.number not in number_of:
            number_of[each.number] = max((team.number for team in teams), default=-1) + 1
            teams.append(replace(each, number=number_of[each.number]))
    return tuple(teams), number_of
