"""Physics check of a shot that was not seen whole: which contacts must have taken place.

Knows how to put two boards, and what was seen between them, before the inverse search, and when its
answer is sure. Refuses to know rules, and to be heard against what was plainly seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from calibration.board import BoardSpec, DiscSpec
from calibration.parameters import StageParameters, parameter
from calibration.profile import CalibrationProfile
from calibration.state import DiscState
from scorer.rules.shot import OUTSIDE, POST_PREFIX, ContactPair
from vision.track.motion.disc_tracker import DiscTrack
from webapp.referee.shot.reconstruct import ContactHypothesis, Flick
from webapp.referee.shot.shot_evidence import ShotEvidence

if TYPE_CHECKING:  # the compiler takes a second to load, and most shots need no check
    from scorer.physics.inverse.explain import InverseSearchResult
    from scorer.physics.inverse.observations import BoardPair, Spreads
    from scorer.physics.inverse.observations import TrackPoints as SeenOnWay
    from scorer.physics.scene import TableSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicsCheckParameters(StageParameters):
    """What ``physics_check`` takes for granted."""

    stage: ClassVar[str] = "referee.shot.physics_check"

    #: How long the search may take, s: nothing is looked at meanwhile.
    budget_s: float = parameter(0.7, unit="s", source="")
    #: It is sure of a contact from this probability on, and of none below its complement (it never
    #: says more than 0.99), when what its best flick leaves unexplained is no more than this, mm.
    sure: float = parameter(0.985, unit="", source="")
    well_explained_mm: float = parameter(2.0, unit="mm", source="")
    #: One sigma of a disc's place that was read at rest, mm per axis, at least.
    rest_sigma_mm: float = parameter(0.7, unit="mm", source="")
    #: One sigma of places in motion: of coarse pictures, blurred, erring alike from frame to frame,
    #: mm.
    motion_sigma_mm: float = parameter(4.0, unit="mm", source="")
    #: Discs slower than this may be held by something that nobody sees, mm/s.
    moving_mm_s: float = parameter(60.0, unit="mm/s", source="")
    #: Friction and restitution of a board that nobody measured, relative and absolute sigmas:
    #: boards lie between 0.05 and 0.15, and 0.75 and 0.93 (``scorer.physics.parameters``).
    friction: float = parameter(0.25, unit="", source="")
    restitution: float = parameter(0.05, unit="", source="")
    post_restitution: float = parameter(0.08, unit="", source="")


PARAMS = PhysicsCheckParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicsFinding:
    """What the inverse search finds of a shot.

    p_contact    probability that an opponent's disc was touched; None when nothing explains it
    misfit_mm, tolerance_mm  of the likeliest flick: what it leaves unexplained, and may
    contacts     those of the likeliest flick
    reason       why nothing explains the shot; empty when something does
    """

    p_contact: float | None
    misfit_mm: float
    tolerance_mm: float
    contacts: ContactHypothesis
    reason: str

    @property
    def is_sure(self) -> bool:
        """Whether it may settle what was not seen."""
        if self.p_contact is None or self.misfit_mm > min(
            PARAMS.well_explained_mm, self.tolerance_mm
        ):
            return False
        return not 1 - PARAMS.sure < self.p_contact < PARAMS.sure


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PhysicsCheck:
    """Physics of one board; ``profile`` holds its speed where that was measured."""

    profile: CalibrationProfile | None = None

    def preload(self) -> None:
        """Load what a check needs, which takes some seconds the first time, before it is needed."""
        import scorer.physics.inverse.explain  # noqa: F401  (loaded here so that no verdict waits for it)

    def check(self, shot: ShotEvidence) -> PhysicsFinding | None:
        """What became of the discs of a shot; None where physics know no such board."""
        from scorer.physics.inverse.explain import explain
        from scorer.physics.scene import MOST_DISCS, check_places

        if any(each.disc.state is DiscState.LEANING for each in (*shot.before, *shot.change.now)):
            return None
        ids = (shot.shooter.name, *(each.name for each in shot.before))
        if len(ids) > MOST_DISCS:
            return None
        pair = _make_pair(ids, shot)
        table, spreads = self._make_table(shot.at_rest.fit.spec, shot.at_rest.board.disc)
        try:
            check_places(table, ids, pair.before_mm)
        except ValueError:
            return None  # discs were read so that they overlap: no board can be like that
        verdict = explain(
            table, pair, noise_mm=PARAMS.rest_sigma_mm, spreads=spreads, budget_s=PARAMS.budget_s
        )
        return _make_finding(ids, verdict)

    def _make_table(self, board: BoardSpec, disc: DiscSpec) -> tuple[TableSpec, Spreads]:
        from scorer.physics.inverse.observations import Spreads, derive_spreads
        from scorer.physics.parameters import PhysicsSpec, apply_board_speed
        from scorer.physics.scene import TableSpec

        speed = self.profile.speed if self.profile is not None else None
        if speed is not None:
            physics = apply_board_speed(PhysicsSpec(), speed)
            return TableSpec(board=board, disc=disc, physics=physics), derive_spreads(speed)
        spreads = Spreads(
            friction=PARAMS.friction,
            restitution=PARAMS.restitution,
            post_restitution=PARAMS.post_restitution,
        )
        return TableSpec(board=board, disc=disc), spreads


def _make_pair(ids: tuple[str, ...], shot: ShotEvidence) -> BoardPair:
    from scorer.physics import kernels
    from scorer.physics.inverse.observations import BoardPair

    named = {each.name: each for each in (*shot.before, shot.shooter)}
    now = {each.name: each for each in shot.change.now}
    team = named[ids[0]].disc.team
    places, states = [], []
    for name in ids:
        each = now.get(name)
        is_flat = each is not None and each.disc.state is not DiscState.IN_HOLE
        stays = each is None or not is_flat or name in shot.unmoved
        places.append(named[name].place_mm if stays or each is None else each.place_mm)
        gone = kernels.DITCH if each is None else kernels.IN_HOLE
        states.append(kernels.FLAT if is_flat else gone)
    return BoardPair(
        before_mm=np.array([named[name].place_mm for name in ids], dtype=np.float64),
        after_mm=np.array(places, dtype=np.float64),
        states=np.array(states, dtype=np.int8),
        opponents=np.array([named[name].disc.team != team for name in ids]),
        track=_make_track(ids, shot.flick, shot.tracks),
    )


def _make_track(
    ids: tuple[str, ...], flick: Flick, tracks: Mapping[str, DiscTrack]
) -> SeenOnWay | None:
    """Places of discs that slid with no hand on them; None where there are none."""
    from scorer.physics.inverse.observations import TrackPoints as SeenOnWay

    rows = []
    for index, name in enumerate(ids):
        track = flick.track if index == 0 else tracks.get(name)
        if track is None or len(track.samples) < 3:
            continue
        speed = np.linalg.norm(np.diff(track.places_mm, axis=0), axis=1)
        speed /= np.maximum(np.diff(track.times_s), 1e-3)
        for each, v in zip(track.samples[1:], speed, strict=True):
            if each.t_s > flick.t_start_s and each.is_free and v > PARAMS.moving_mm_s:
                rows.append((index, each.t_s, *each.place_mm))
    if not rows:
        return None
    seen = np.array(rows, dtype=np.float64)
    return SeenOnWay(
        discs=seen[:, 0].astype(np.int64),
        times_s=seen[:, 1],
        places_mm=seen[:, 2:],
        sigmas_mm=np.full(len(seen), PARAMS.motion_sigma_mm),
    )


def _make_finding(ids: tuple[str, ...], verdict: InverseSearchResult) -> PhysicsFinding:
    best = verdict.explanations[0] if verdict.explanations else None
    contacts = () if best is None else tuple(_name_contacts(ids, best.contacts))
    return PhysicsFinding(
        p_contact=verdict.p_contact,
        misfit_mm=math.inf if best is None else best.misfit_mm,
        tolerance_mm=0.0 if best is None else best.tolerance_mm,
        contacts=ContactHypothesis(pairs=contacts, description="physics explain it so"),
        reason=verdict.reason,
    )


def _name_contacts(ids: tuple[str, ...], contacts: Sequence[tuple[int, int]]) -> list[ContactPair]:
    """Contacts of discs with discs, posts and what lies outside, by name."""
    from scorer.physics.engine import partner_name

    named = [(ids[a], partner_name(ids, b)) for a, b in contacts]
    return [(a, b) for a, b in named if b in ids or b == OUTSIDE or b.startswith(POST_PREFIX)]
