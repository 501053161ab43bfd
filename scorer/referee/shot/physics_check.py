"""Physics check of a shot that was not completely seen: the contacts that it must have had.

Two boards and the places seen in between go through the inverse search of
``scorer.physics.inverse``. Its answer counts only if it is certain, and never against clear
observations (see ``scorer.referee.shot.ruling``). It fails, with a reason, if no flick leads from
one board to the other. The search is limited by work and not by time, so the same film gives the
same verdict on any computer, however busy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter
from calibration.phrase import Phrase
from calibration.placed_disc import DiscState
from calibration.profile import CalibrationProfile
from scorer.physics.inverse.observations import BoardPair, Spreads, TrackPoints, derive_spreads
from scorer.physics.parameters import PhysicsSpec, apply_board_speed
from scorer.physics.scene import MOST_DISCS, TableSpec, check_places
from scorer.referee.shot.contact_hypotheses import ContactHypothesis
from scorer.referee.shot.flick import Flick
from scorer.referee.shot.shot_evidence import ShotEvidence
from scorer.rules.shot import OUTSIDE, POST_PREFIX, ContactPair
from vision.track.tracks.disc_track import DiscTrack

if TYPE_CHECKING:  # the compiler takes a second to import, and most shots need no check
    from scorer.physics.inverse.explain import InverseSearchResult


class PhysicsCheckParameters(StageParameters):
    """Parameters of ``physics_check``."""

    #: Limits the search by work, so that a busy machine gives the same verdict as an idle one.
    max_simulated_discs: int = parameter(
        1_000_000,
        unit="",
        source="chosen: about 0.7 s of one core, during which no frame is analysed; allows two"
        " further searches with 2 discs, one with 3, none with more",
    )
    #: A contact is certain from this probability on, and excluded below its complement.
    sure: float = parameter(
        0.985,
        unit="probability",
        source="chosen: just below 0.99, the highest probability that the inverse search claims",
    )
    well_explained_mm: float = parameter(
        2.0, unit="mm", source="chosen: about three sigmas of a resting disc's place, per disc"
    )
    #: One sigma of a place in motion, mm per axis.
    motion_sigma_mm: float = parameter(
        4.0,
        unit="mm",
        source="chosen: twice the sigma of a single place, because neighbouring frames of "
        "coarse, blurred pictures have similar errors",
    )
    moving_mm_s: float = parameter(
        60.0, unit="mm/s", source="chosen: slower discs may be held by an unseen object"
    )
    #: Sigmas of an unmeasured board: friction relative, restitutions absolute.
    friction: float = parameter(
        0.25, unit="", source="scorer.physics.parameters: boards have 0.05 to 0.15"
    )
    restitution: float = parameter(
        0.05, unit="", source="scorer.physics.parameters: boards have 0.75 to 0.93"
    )
    post_restitution: float = parameter(
        0.08, unit="", source="scorer.physics.parameters: boards have 0.6 to 0.85"
    )


PARAMS = PhysicsCheckParameters()
COMPILING = Phrase(
    "Preparing the shot simulation. This takes about 30 seconds the "
    "first time. Refereeing continues in the meantime."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicsFinding:
    """The inverse search's finding about a shot.

    p_contact    probability that an opponent's disc was touched, 0.01 to 0.99; None if nothing
                 explains the shot
    misfit_mm, tolerance_mm  of the likeliest flick: its misfit, and the allowed misfit
    contacts     the contacts of the likeliest flick
    reason       the reason why nothing explains the shot; empty if something does
    """

    p_contact: float | None
    misfit_mm: float
    tolerance_mm: float
    contacts: ContactHypothesis
    reason: str

    @property
    def is_sure(self) -> bool:
        """Whether the finding is certain enough to decide the unseen part."""
        if self.p_contact is None or self.misfit_mm > min(
            PARAMS.well_explained_mm, self.tolerance_mm
        ):
            return False
        return not 1 - PARAMS.sure < self.p_contact < PARAMS.sure


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PhysicsCheck:
    """Physics of one board.

    profile  holds the board's speed if it was measured; otherwise the usual speed with wide spreads
             is used
    """

    profile: CalibrationProfile | None = None

    def preload(self, say: Callable[[str], None] = lambda _: None) -> None:
        """Load and compile everything that a check needs, so that no verdict has to wait for it.

        On a new computer this takes a while, which ``say`` reports. It runs in another process
        while frames are analysed.
        """
        from scorer.physics.compile import (
            are_kernels_compiled,
            compile_kernels,
            compile_kernels_apart,
        )

        if not are_kernels_compiled():
            say(COMPILING)
            compile_kernels_apart()
        compile_kernels()

    def check(self, shot: ShotEvidence) -> PhysicsFinding | None:
        """The outcome of a shot's discs; None if physics do not support such a board.

        That is a board with a leaning disc, with too many discs, or with overlapping discs.
        """
        from scorer.physics.inverse.explain import explain

        if any(disc.disc.state is DiscState.LEANING for disc in (*shot.before, *shot.change.now)):
            return None
        ids = (shot.shooter.name, *(disc.name for disc in shot.before))
        if len(ids) > MOST_DISCS:
            return None
        pair = _make_pair(ids, shot)
        table, spreads = self._make_table(shot.at_rest.fit.spec, shot.at_rest.board.disc)
        try:
            check_places(table, ids, pair.before_mm)
        except ValueError:
            return None
        verdict = explain(
            table, pair, spreads=spreads, max_simulated_discs=PARAMS.max_simulated_discs
        )
        return _make_finding(ids, verdict)

    def _make_table(self, board: BoardSpec, disc: DiscSpec) -> tuple[TableSpec, Spreads]:
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
    """The boards before and after, and the observations in between, for discs in the order of
    ``ids``.
    """
    from scorer.physics import kernels

    named = {disc.name: disc for disc in (*shot.before, shot.shooter)}
    now = {disc.name: disc for disc in shot.change.now}
    team = named[ids[0]].disc.team
    places, states = [], []
    for name in ids:
        end = now.get(name)
        is_flat = end is not None and end.disc.state is not DiscState.IN_HOLE
        stays = end is None or not is_flat or name in shot.unmoved
        places.append(named[name].place_mm if stays or end is None else end.place_mm)
        gone = kernels.DITCH if end is None else kernels.IN_HOLE
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
) -> TrackPoints | None:
    """Places of discs that slid without a hand on them; None if there are none."""
    rows = []
    for index, name in enumerate(ids):
        track = flick.track if index == 0 else tracks.get(name)
        if track is None or len(track.samples) < 3:
            continue
        speed = np.linalg.norm(np.diff(track.places_mm, axis=0), axis=1)
        speed /= np.maximum(np.diff(track.times_s), 1e-3)
        for sample, v in zip(track.samples[1:], speed, strict=True):
            if sample.t_s > flick.t_start_s and sample.is_free and v > PARAMS.moving_mm_s:
                rows.append((index, sample.t_s, *sample.place_mm))
    if not rows:
        return None
    seen = np.array(rows, dtype=np.float64)
    return TrackPoints(
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
        contacts=ContactHypothesis(
            pairs=contacts, description=Phrase("a simulation of the shot supports this")
        ),
        reason=verdict.reason,
    )


def _name_contacts(ids: tuple[str, ...], contacts: Sequence[tuple[int, int]]) -> list[ContactPair]:
    """Contacts of discs with discs, posts and objects outside, by name."""
    from scorer.physics.engine import partner_name

    named = [(ids[a], partner_name(ids, b)) for a, b in contacts]
    return [(a, b) for a, b in named if b in ids or b == OUTSIDE or b.startswith(POST_PREFIX)]
