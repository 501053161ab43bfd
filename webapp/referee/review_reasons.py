"""Review reasons: what evidence of a shot is missing, one clause each.

Knows boards at rest and tracks. Refuses to decide what follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.track.events import BoardAtRest
from vision.track.motion.disc_tracker import DiscTrack
from webapp.referee.disc_identities import BoardChange, NamedDisc


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewReasonsParameters(StageParameters):
    """What ``review_reasons`` takes for granted."""

    stage: ClassVar[str] = "referee.review_reasons"

    #: Frames missing for longer than this while discs moved are evidence missing, s.
    gap_s: float = parameter(0.2, unit="s", source="")
    #: A disc that was lost from sight may have left the surface if it was about to, in so long, s.
    soon_s: float = parameter(0.2, unit="s", source="")


PARAMS = ReviewReasonsParameters.active()


def find_review_reasons(
    at_rest: BoardAtRest, change: BoardChange, tracks: Mapping[str, DiscTrack], *, was_bumped: bool
) -> Iterator[str]:
    """Why a person must decide, whatever touched what."""
    if at_rest.has_jumped or was_bumped:
        yield "the picture jumped while the discs moved"
    yield from (item.reason for item in at_rest.board.unexplained)
    for name in change.new_names:
        yield f"{name} lies there and nobody saw it come"
    for each in change.gone:
        if not _can_be_gone(each, tracks.get(each.name), at_rest):
            yield f"{each.name} is gone and was not seen to leave"


def find_missing_evidence(at_rest: BoardAtRest, *, is_unseen: bool) -> Iterator[str]:
    """Why the contacts may not have been seen."""
    if is_unseen:
        yield "the shot itself was not seen"
    if at_rest.longest_gap_s > PARAMS.gap_s:
        yield f"no frame came for {at_rest.longest_gap_s:.1f} s while the discs moved"


def _can_be_gone(each: NamedDisc, track: DiscTrack | None, at_rest: BoardAtRest) -> bool:
    """Whether the disc was last seen on its way off the board."""
    line_mm = at_rest.fit.spec.line_radii_mm[2]
    if track is None:
        return float(np.linalg.norm(each.place_mm)) > line_mm
    soon_mm = track.last.place_mm + PARAMS.soon_s * track.velocity_mm_s()
    reached_mm = max(np.linalg.norm(soon_mm), np.linalg.norm(track.last.place_mm))
    return float(reached_mm) > line_mm
