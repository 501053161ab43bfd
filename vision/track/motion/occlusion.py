"""Objects over the board over time: how long they stay, whether they belong to a person, and the
hidden part.

A hand, an arm or a sleeve comes from beyond the surface and may rest there. Other objects were put
onto the board. A patch of light that reaches from the rail over the surface counts as a person for
half a minute; then the board is searched for again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.rectify.frame_rectifier import FrameRectifier
from vision.track.motion.hands_and_occluders import reaches_out, widen


class OcclusionParameters(StageParameters):
    """Parameters of ``occlusion``."""

    #: An object that covers the board without moving for this long is taken for part of it, and the
    #: board is searched for anew ...
    occluded_s: float = parameter(
        8.0, unit="s", source="chosen: a hand that rests on the board moves sooner"
    )
    #: ... unless it comes from beyond the surface: then it is a person, who may rest for this long.
    person_rests_s: float = parameter(
        30.0, unit="s", source="chosen: in a film, a forearm lay over a board for ten seconds"
    )
    #: The board is not visible within this distance of an object that covers it.
    hidden_mm: float = parameter(
        15.0,
        unit="mm",
        source="chosen: the soft edge of a hand's shadow, and its movement between two frames",
    )
    #: An object is still there if this share of its area differs.
    still_covered: float = parameter(
        0.5, unit="share", source="chosen: more than half of the place"
    )
    #: It has not moved if this share of it still covers the board.
    same_occluder: float = parameter(
        0.85, unit="share", source="chosen: a trembling hand covers more of the same area"
    )


PARAMS = OcclusionParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Occlusion:
    """Objects over the board.

    mask      (side, side) uint8
    hidden    likewise: the part where the board is not visible, which is somewhat larger
    since_s   time since which it has not moved
    is_person it comes from beyond the surface, as hands and sleeves do
    """

    mask: np.ndarray
    hidden: np.ndarray
    since_s: float
    is_person: bool

    def hides_disc(
        self, rectifier: FrameRectifier, places_mm: Sequence[np.ndarray], radius_mm: float
    ) -> bool:
        """Whether it hides any part of a disc at one of these places, board mm."""
        discs = rectifier.disc_mask(np.array(places_mm).reshape(-1, 2), radius_mm)
        return bool((discs & self.hidden).any())


def follow_occlusion(
    before: Occlusion | None,
    occluders: np.ndarray | None,
    rectifier: FrameRectifier,
    t_s: float,
    known: np.ndarray,
    *,
    is_shaken: bool = False,
) -> Occlusion | None:
    """Objects over the board at ``t_s``; ``occluders`` is their mask (side, side) uint8, or None.

    It has not moved while it covers the same part as ``before``; a shaken frame does not count.
    ``known`` (side, side bool) is the part that was seen empty.
    """
    if occluders is None:
        return None
    hidden = widen(occluders, PARAMS.hidden_mm)
    is_person = reaches_out(rectifier, occluders, known)
    if before is not None and (
        is_shaken or _overlap_share(before.mask, occluders) >= PARAMS.same_occluder
    ):
        return Occlusion(
            mask=before.mask, hidden=hidden, since_s=before.since_s, is_person=is_person
        )
    return Occlusion(mask=occluders, hidden=hidden, since_s=t_s, is_person=is_person)


def has_stayed_too_long(occlusion: Occlusion, t_s: float) -> bool:
    """Whether an object over the board has been still for longer than is usual for a person, or for
    an object.
    """
    patience_s = PARAMS.person_rests_s if occlusion.is_person else PARAMS.occluded_s
    return t_s - occlusion.since_s > patience_s


def still_covers(occlusion: Occlusion, differs: np.ndarray) -> bool:
    """Whether it is still there, by the pixels (side, side bool) where a frame differs from the
    background.
    """
    return bool(np.mean(differs[occlusion.mask > 0]) > PARAMS.still_covered)


def _overlap_share(one: np.ndarray, other: np.ndarray) -> float:
    """The share of a mask that another mask covers."""
    return cv2.countNonZero(one & other) / max(cv2.countNonZero(one), 1)
