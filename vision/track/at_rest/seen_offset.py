"""Offset of the visible part of a moving disc from its base, learned from discs at rest.

A track follows the middle of the disc's image from above. This is about half its height above the
base, and shifted by its shadow if that is as dark as the disc. For resting discs of the same side,
both the middle and the base are known. A share of the height and a common shift are fitted to them,
by least squares with normal priors. Without such discs the priors are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.board import FloatArray
from calibration.parameters import StageParameters, parameter
from calibration.pose import View
from vision.track.tracks.disc_track import DiscTrack
from vision.track.tracks.sliding_discs import REST_FRAMES


class SeenOffsetParameters(StageParameters):
    """Parameters of ``seen_offset``."""

    #: Height of the visible middle of a disc, as a share of the disc's height, with one sigma.
    height_share: float = parameter(
        0.5,
        unit="share",
        source="chosen: the middle of the visible area of a disc's wall and face is at about "
        "half its height",
    )
    height_sigma: float = parameter(
        0.3,
        unit="share",
        source="measured: the range from the base to the best visible face is a little more "
        "than one sigma",
    )
    #: One sigma of the displacement by a shadow, per axis.
    shadow_mm: float = parameter(
        1.5,
        unit="mm",
        source="measured in three rendered clips with hard shadows: 2 mm; films have weaker "
        "shadows",
    )
    #: One sigma of the remaining error of a disc's visible middle and of its base, per axis.
    place_mm: float = parameter(
        0.5, unit="mm", source="chosen: the errors of positions at rest and in motion together"
    )
    #: A disc is at rest if its last positions are within this of each other; ...
    rest_mm: float = parameter(
        0.7, unit="mm", source="chosen: about three times the error of a blob's middle"
    )
    #: ... and it is matched with a disc that was read within this of it.
    same_mm: float = parameter(8.0, unit="mm", source="chosen: half a radius")


PARAMS = SeenOffsetParameters()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeenOffset:
    """Offset of the middle of a disc's visible part from its base.

    shadow_mm     (2,) common to all discs
    height_share  share of the length by which the disc's height, ``height_mm``, stretches its image
    """

    shadow_mm: FloatArray
    height_share: float
    height_mm: float
    view: View

    def find_bases(self, seen_mm: FloatArray) -> FloatArray:
        """The bases (n, 2) of discs whose middles were seen at places (n, 2) of the surface."""
        drawn_out_mm = self.measure_drawn_out(seen_mm)
        return np.asarray(seen_mm - self.shadow_mm - self.height_share * drawn_out_mm)

    def measure_drawn_out(self, places_mm: FloatArray) -> FloatArray:
        """The lengths (n, 2), away from the camera, by which its height stretches a disc's
        image.
        """
        return self.height_mm * self.view.cam_from_board.shift_per_mm(places_mm)


def fit_seen_offset(
    rests: Sequence[tuple[DiscTrack, FloatArray]], view: View, height_mm: float
) -> SeenOffset:
    """The offset of discs of that height, from the tracks of discs that stopped, and their bases
    (2,).
    """
    sigmas = np.array([PARAMS.shadow_mm, PARAMS.shadow_mm, PARAMS.height_sigma])
    precision = np.diag(sigmas**-2)
    right = precision @ np.array([0.0, 0.0, PARAMS.height_share])
    for track, base_mm in rests:
        seen_mm = _find_rest(track)
        if seen_mm is None or np.linalg.norm(seen_mm - base_mm) > PARAMS.same_mm:
            continue
        drawn_out_mm = height_mm * view.cam_from_board.shift_per_mm(seen_mm)
        design = np.column_stack([np.eye(2), drawn_out_mm]) / PARAMS.place_mm
        precision += design.T @ design
        right += design.T @ (seen_mm - base_mm) / PARAMS.place_mm
    fitted = np.linalg.solve(precision, right)
    return SeenOffset(
        shadow_mm=fitted[:2], height_share=float(fitted[2]), height_mm=height_mm, view=view
    )


def _find_rest(track: DiscTrack) -> FloatArray | None:
    """The place where a free disc was seen at rest in its last frames; None if it was not."""
    late = track.samples[-REST_FRAMES:]
    places_mm = np.array([sample.place_mm for sample in late])
    middle_mm = places_mm.mean(axis=0)
    is_still = np.linalg.norm(places_mm - middle_mm, axis=1).max() < PARAMS.rest_mm
    is_seen = len(late) == REST_FRAMES and all(sample.is_free for sample in late)
    return np.asarray(middle_mm) if is_seen and is_still else None
