"""Two tracks of the same side that were exchanged where one disc struck the other.

A struck disc never moves back towards its striker, because the push is along the line of centres.
If a track seems to move back, and the striker's track to continue through the other's place, they
are exchanged from there on. It fails if a third disc turned one of them within the frame.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.parameters import StageParameters, parameter
from vision.track.tracks.disc_track import DiscTrack


class ExchangedTracksParameters(StageParameters):
    """Parameters of ``exchanged_tracks``."""

    #: A struck disc that moved back by this much was confused with its striker.
    back_radii: float = parameter(
        0.5,
        unit="radii",
        source="chosen: within a frame, a collision with a third disc throws it back by less",
    )


PARAMS = ExchangedTracksParameters()


def exchange_at_contact(
    striker: DiscTrack, struck: DiscTrack, radius_mm: float
) -> tuple[DiscTrack, DiscTrack] | None:
    """The tracks of two discs of ``radius_mm``, exchanged from their contact on; None if they were
    not confused there.
    """
    left = struck.find_departure()
    if left is None or left + 1 >= len(struck.samples):
        return None
    rested, moved = struck.samples[left : left + 2]
    last = sum(sample.t_s <= rested.t_s for sample in striker.samples) - 1
    if last < 1 or last + 1 >= len(striker.samples):
        return None
    before, near, after = striker.samples[last - 1 : last + 2]
    step_mm = near.place_mm - before.place_mm
    length_mm = float(np.linalg.norm(step_mm))
    gap_mm = float(np.linalg.norm(near.place_mm - rested.place_mm)) - 2 * radius_mm
    if after.t_s != moved.t_s or gap_mm > length_mm:
        return None
    back_mm = -float((moved.place_mm - rested.place_mm) @ step_mm) / max(length_mm, 1e-6)
    if back_mm < PARAMS.back_radii * radius_mm or (after.place_mm - rested.place_mm) @ step_mm < 0:
        return None
    return (
        replace(striker, samples=[*striker.samples[: last + 1], *struck.samples[left + 1 :]]),
        replace(struck, samples=[*struck.samples[: left + 1], *striker.samples[last + 1 :]]),
    )
