"""The source of the discs' sizes, in photos and live, and its effects."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from drawn_discs import board_fit, draw, view_at
from example_reading import WHITE, disc

from calibration.board import SCALE_RADIUS_MM
from calibration.disc import DiscSpec
from calibration.placed_disc import DiscState
from calibration.profile import CalibrationProfile
from sample_images import __file__ as _samples
from scorer.photo.score import score_reading
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.make_events import see_disc
from vision.discs.find_discs import find_discs
from vision.io.frame import Frame, read_frame
from vision.read_photo import read_photo
from vision.reading import Reading
from vision.track.at_rest.still_board import StillBoard
from vision.track.events import BoardAtRest, BoardFound
from vision.track.session import SessionState
from vision.track.tracker import BoardTracker

STILLS = Path(_samples).parent / "stills"
PAUSE_S = 1 / 30


@pytest.fixture(scope="module")
def frame() -> Frame:
    """A board whose measured discs are 0.6 mm narrower than usual."""
    read = read_frame(STILLS / "low_sun_and_hard_shadows.jpg")
    assert isinstance(read, Frame)
    return read


@pytest.fixture(scope="module")
def plain(frame: Frame) -> Reading:
    return read_photo(frame)


@pytest.fixture(scope="module")
def profile(plain: Reading) -> CalibrationProfile:
    """A profile of the frame's board, recognised by a slightly shifted line; it has no disc
    sizes.
    """
    assert plain.board is not None
    r15, r10, r5 = plain.board.spec.line_radii_mm
    return CalibrationProfile(board=replace(plain.board.spec, line_radii_mm=(r15 + 0.2, r10, r5)))


def test_a_photographs_discs_are_measured_where_the_profile_knows_none(
    frame: Frame, plain: Reading, profile: CalibrationProfile
) -> None:
    profiled = read_photo(frame, profile)
    assert profiled.board is not None
    assert profiled.board.spec.line_radii_mm == profile.board.line_radii_mm
    assert profiled.disc.radius_mm == pytest.approx(plain.disc.radius_mm, abs=0.05)
    assert len(profiled.discs) == len(plain.discs)


def test_live_discs_are_measured_where_the_profile_knows_none(
    frame: Frame, plain: Reading, profile: CalibrationProfile
) -> None:
    known = CalibrationProfile(
        board=profile.board, disc=DiscSpec(radius_mm=16.2, radius_sigma_mm=0.1)
    )
    for told, radius_mm in ((profile, plain.disc.radius_mm), (known, 16.2)):
        lookout = BoardTracker(told)
        sights = [
            event for i in range(12) for event in lookout.process_frame(frame.image, i * PAUSE_S)
        ]
        found = next(sight for sight in sights if isinstance(sight, BoardFound))
        rested = next(sight for sight in sights if isinstance(sight, BoardAtRest))
        assert found.fit.spec.line_radii_mm == profile.board.line_radii_mm
        assert rested.board.disc.radius_mm == pytest.approx(radius_mm, abs=0.05)
        assert len(rested.board.discs) == len(plain.discs)


def test_sizes_that_no_disc_told_are_as_unsure_as_nominal_ones() -> None:
    fit = board_fit(view_at(12.0))
    reading = find_discs(draw(fit.view, []), fit)
    nominal = DiscSpec()
    assert reading.measured_discs == 0
    assert abs(reading.disc.radius_mm - nominal.radius_mm) < nominal.radius_sigma_mm
    assert reading.disc.radius_sigma_mm == nominal.radius_sigma_mm > 1.0
    assert reading.disc.height_sigma_mm == nominal.height_sigma_mm > 0.6


@pytest.mark.parametrize("measured", [0, 9])
def test_only_discs_that_told_their_size_teach_it(measured: int) -> None:
    sunk = disc(0.0, 0.0, state=DiscState.IN_HOLE)
    size, memory = DiscSpec(radius_mm=14.0, radius_sigma_mm=0.1), SessionState()
    memory.update(StillBoard(discs=(sunk,), teams=(WHITE,), disc=size, measured_discs=measured))
    known = memory.disc
    assert (known is not None) is (measured > 0)
    assert known is None or np.isclose(known.radius_mm, 14.0)


def test_a_photograph_and_the_live_referee_are_as_sure_of_a_disc_on_the_same_board(
    frame: Frame, profile: CalibrationProfile
) -> None:
    for size in (
        DiscSpec(radius_mm=16.7, radius_sigma_mm=0.3, contact_inset_sigma_mm=0.2),
        DiscSpec(radius_mm=16.7, radius_sigma_mm=0.1, contact_inset_sigma_mm=0.25),
    ):
        reading = read_photo(frame, replace(profile, disc=size))
        assert reading.board is not None
        score = score_reading(frame, reading)
        assert len(score.discs) > 5
        for scored in score.discs:
            told = see_disc(NamedDisc(name="a 1", disc=scored.disc), reading.board.spec, size)
            assert told.margin_mm == pytest.approx(scored.call.margin_mm, abs=0.006)
            assert told.sigma_mm == pytest.approx(scored.call.sigma_mm, abs=0.006)


def test_the_edge_that_decides_is_as_unsure_as_radius_and_inset_together() -> None:
    edge = DiscSpec(
        radius_mm=16.0, radius_sigma_mm=0.3, contact_inset_mm=0.5, contact_inset_sigma_mm=0.4
    ).contact_edge
    assert (edge.radius_mm, edge.radius_sigma_mm) == pytest.approx((15.5, 0.5))


def test_measured_radii_err_by_what_they_claim(plain: Reading) -> None:
    truth = json.loads((STILLS / "low_sun_and_hard_shadows.json").read_text(encoding="utf-8"))
    scale = SCALE_RADIUS_MM / truth["board"]["line_radii"][1]
    off_mm = plain.disc.radius_mm - scale * truth["disc"]["radius"]
    assert abs(off_mm) < 2 * plain.disc.radius_sigma_mm
    edge = plain.disc.contact_edge
    assert abs(edge.radius_mm - scale * truth["disc"]["bottom_radius"]) < 2 * edge.radius_sigma_mm
