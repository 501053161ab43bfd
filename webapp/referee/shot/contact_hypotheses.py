"""Contact hypotheses of a shot: which disc struck which, by tracks, and what else may be.

Discs that moved are taken in the order in which they left; each was struck by the disc in motion
whose path came nearest. Another that came about as near makes a second hypothesis, and so does a
disc that one passed so closely that it may have brushed it. Paths are straight between two frames:
what happened off that line is not found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from scorer.rules.shot import OUTSIDE, ContactPair
from vision.track.motion.disc_tracker import DiscTrack
from webapp.referee.shot.flick import starting_line_mm
from webapp.referee.shot.shot_evidence import ShotEvidence


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactHypothesesParameters(StageParameters):
    """What ``contact_hypotheses`` takes for granted."""

    stage: ClassVar[str] = "referee.shot.contact_hypotheses"

    #: A gap smaller than this may have been none.
    graze_mm: float = parameter(
        2.0, unit="mm", source="two sigmas: paths are known to a millimetre"
    )
    #: A second disc may have been the one that struck only within this of touching, ...
    strike_mm: float = parameter(
        25.0, unit="mm", source="half a frame's way at 1.5 m/s and 30 frames a second"
    )
    #: ... and when it came nearly as near as the first.
    either_mm: float = parameter(6.0, unit="mm", source="chosen: three times a graze")
    #: A disc's departure may be noticed this much later than the strike.
    departure_delay_s: float = parameter(0.1, unit="s", source="three frames at 30 a second")
    #: A disc that went this far beyond the surface's edge has left it.
    left_mm: float = parameter(
        8.0, unit="mm", source="half a radius: a disc topples once its middle is over"
    )
    #: A path is sampled every so much between two frames.
    step_mm: float = parameter(
        2.0, unit="mm", source="half a step makes a gap of two radii 0.02 mm longer"
    )


PARAMS = ContactHypothesesParameters.active()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ContactHypothesis:
    """What touched what, in time order, by one hypothesis of the shot.

    description  what distinguishes this hypothesis; empty for the likeliest
    """

    pairs: tuple[ContactPair, ...]
    description: str = ""


def list_contact_hypotheses(shot: ShotEvidence) -> list[ContactHypothesis]:
    """What may have touched what: the likeliest first, then the others; never empty."""
    moved, t_start_s = shot.displacements.moved_mm, shot.flick.t_start_s
    order = sorted(moved, key=lambda name: _find_departure_s(shot.tracks.get(name), t_start_s))
    pairs: list[ContactPair] = []
    rivals: list[ContactPair] = []
    for i, name in enumerate(order):
        striker, rival = _find_strikers(shot, name, [shot.shooter.name, *order[:i]])
        pairs.append((striker, name))
        if rival is not None:
            rivals.append((rival, name))
    pairs += [(name, OUTSIDE) for name in _find_returned(shot)]
    hypotheses = [ContactHypothesis(pairs=tuple(pairs))]
    for rival, name in rivals:
        others = tuple(pair for pair in pairs if pair[1] != name)
        hypotheses.append(
            ContactHypothesis(pairs=(*others, (rival, name)), description=f"{rival} struck {name}")
        )
    for mover, still in _find_grazes(shot):
        words = f"{mover} brushed {still} without moving it"
        hypotheses.append(ContactHypothesis(pairs=(*pairs, (mover, still)), description=words))
    return hypotheses


def _find_departure_s(track: DiscTrack | None, t_start_s: float) -> float:
    """When the disc left its place, not before the flick; infinite where nobody saw it leave."""
    index = None if track is None else track.find_departure()
    return np.inf if track is None or index is None else max(track.samples[index].t_s, t_start_s)


def _find_strikers(
    shot: ShotEvidence, name: str, candidates: Sequence[str]
) -> tuple[str, str | None]:
    """The moving disc that came nearest to a resting one, and another that may have been it."""
    t_start_s = shot.flick.t_start_s
    until_s = _find_departure_s(shot.tracks.get(name), t_start_s) + PARAMS.departure_delay_s
    place_mm = next(each.place_mm for each in shot.before if each.name == name)
    gap = {
        each: _min_gap_mm(shot, each, place_mm, until_s)
        for each in candidates
        if each in shot.tracks
    }
    if not gap:
        return candidates[0], None
    near = sorted(gap, key=lambda each: gap[each])
    first = near[0]
    second = next((each for each in near[1:] if gap[each] < gap[first] + PARAMS.either_mm), None)
    return first, second if second is not None and gap[second] < PARAMS.strike_mm else None


def _min_gap_mm(shot: ShotEvidence, mover: str, place_mm: FloatArray, until_s: float) -> float:
    """The smallest gap between a tracked disc and one that lies at ``place_mm`` (2,), after the
    flick; infinite where it was not seen in that time."""
    path = _sample_path(shot.tracks[mover], shot.flick.t_start_s, until_s)
    touch_mm = 2 * shot.at_rest.board.disc.radius_mm
    return float(np.linalg.norm(path - place_mm, axis=1).min()) - touch_mm if len(path) else np.inf


def _sample_path(track: DiscTrack, from_s: float, to_s: float) -> FloatArray:
    """Places (n, 2) along a track between two times, closely spaced; n may be 0."""
    chosen = [each.place_mm for each in track.samples if from_s - 1e-6 <= each.t_s <= to_s]
    if len(chosen) < 2:
        return np.array(chosen).reshape(-1, 2)
    pieces = []
    for a, b in pairwise(chosen):
        count = max(2, int(np.linalg.norm(b - a) / PARAMS.step_mm) + 1)
        pieces.append(a + np.linspace(0, 1, count)[:, None] * (b - a))
    return np.concatenate(pieces)


def _find_returned(shot: ShotEvidence) -> Iterator[str]:
    """Discs that left the surface and lie on it again."""
    edge_mm = shot.at_rest.fit.spec.surface_radius_mm + PARAMS.left_mm
    for name, track in shot.tracks.items():
        away = [
            float(np.linalg.norm(each.place_mm))
            for each in track.samples
            if each.t_s > shot.flick.t_start_s
        ]
        is_back = len(away) > 2 and away[-1] < starting_line_mm(shot.at_rest)
        if is_back and max(away[1:]) > edge_mm:
            yield name


def _find_grazes(shot: ShotEvidence) -> Iterator[tuple[str, str]]:
    """Discs at rest, each with the first that passed so closely that it may have touched it."""
    movers = [
        each for each in (shot.shooter.name, *shot.displacements.moved_mm) if each in shot.tracks
    ]
    for still in shot.before:
        if still.name not in shot.displacements.unsure:
            continue
        for mover in movers:
            if _min_gap_mm(shot, mover, still.place_mm, np.inf) < PARAMS.graze_mm:
                yield mover, still.name
                break
