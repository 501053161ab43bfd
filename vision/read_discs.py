"""The discs on a known board in one picture: found by their outlines, and checked by the networks.

Photos, frames of a film and pictures for a profile are all read in this way. The networks look at
the board and propose discs (``look_at_board``, ``propose_discs``). The outlines are fitted and
classified (``find_discs``), in bad light also after flat-field correction (``correct_flat_field``).
Then the networks' opinion settles questions or asks new ones (``arbitrate``).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from calibration.board import EmptyHole
from calibration.disc import DiscSpec
from calibration.fit import BoardFit
from calibration.parameters import StageParameters, parameter
from calibration.placed_disc import Team
from vision.detector.arbitrate import arbitrate, propose_discs
from vision.detector.detect_board import look_at_board
from vision.discs.find_discs import DiscReading, find_discs
from vision.rectify.flat_field import correct_flat_field


class ReadDiscsParameters(StageParameters):
    """Parameters of ``read_discs``."""

    #: Discs after flat-field correction are used unless it loses more confidence than this.
    lost_confidence: float = parameter(
        0.6, unit="discs", source="chosen: as much as one uncertain disc"
    )


PARAMS = ReadDiscsParameters()


def read_discs(
    image: np.ndarray,
    fit: BoardFit,
    disc: DiscSpec | None = None,
    known: tuple[Team, ...] = (),
    *,
    empty_hole: EmptyHole | None = None,
    earlier: tuple[Team, ...] = (),
    is_single: bool = True,
) -> DiscReading:
    """The discs of a board that was found in ``image`` (h, w, 3) BGR uint8; ``find_discs`` explains
    the other arguments.
    """
    looks = look_at_board(image, fit.view, fit.spec)
    read = partial(
        find_discs,
        fit=fit,
        disc=disc,
        known=known,
        empty_hole=empty_hole,
        proposals=propose_discs(looks, fit.spec),
        is_single=is_single,
        earlier=earlier,
    )
    reading = read(image)
    even_image = correct_flat_field(image, fit.view, fit.spec)
    if even_image is not None:
        reading = _choose_light(reading, read(even_image))
    discs, unexplained = arbitrate(
        looks, fit.view, fit.spec, reading.disc, reading.discs, reading.unexplained
    )
    return replace(reading, discs=discs, unexplained=unexplained)


def _choose_light(as_is: DiscReading, even: DiscReading) -> DiscReading:
    """The reading after flat-field correction, or the one before it if that shows more."""
    if _show_the_same(as_is, even):
        return as_is
    sure, sure_even = (
        sum(placed_disc.confidence for placed_disc in one.discs) for one in (as_is, even)
    )
    best = as_is if sure > sure_even + PARAMS.lost_confidence else even
    is_clear = len(as_is.discs) == len(even.discs) and len(as_is.teams) == len(even.teams)
    return replace(best, has_bad_light=not is_clear)


def _show_the_same(one: DiscReading, other: DiscReading) -> bool:
    """Whether two readings have the same number of discs in the same teams, in any order."""
    if len(one.discs) != len(other.discs) or len(one.teams) != len(other.teams):
        return False
    if not one.discs:
        return True
    places = np.array([disc.centre_mm for disc in other.discs])
    pairs = set()
    for disc in one.discs:
        away_mm = np.linalg.norm(places - disc.centre_mm, axis=1)
        nearest = int(np.argmin(away_mm))
        if away_mm[nearest] > other.disc.radius_mm:
            return False
        pairs.add((disc.team, other.discs[nearest].team))
    return len(pairs) == len({team for team, _ in pairs}) == len({team for _, team in pairs})
