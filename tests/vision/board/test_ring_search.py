"""The fast search for boards agrees with its plain definition, and stops early without a board."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_board import draw_board, frame_of, view_of

from calibration.pose import View
from vision.board import board_hypotheses
from vision.board.board_hypotheses import _rank_sizes, find_hypothesis
from vision.board.centre_search import (
    QUICK,
    THOROUGH,
    make_camera_edges,
    vote_for_centres,
)
from vision.board.channels import make_channels
from vision.board.find_board import NoBoard, build_lens_prior, find_board
from vision.board.line_radii import find_line_radii
from vision.board.ring_search import (
    RingHypothesis,
    _make_hypotheses,
    search_rings,
    search_rings_from_above,
)


def test_a_board_seen_from_above_is_the_first_that_is_tried() -> None:
    frame = frame_of(draw_board(view_of(20.0, 15.0)))
    tone = next(make_channels(frame.image))
    camera = build_lens_prior(frame).rescale(tone.scale).camera()
    size = (tone.small.shape[1], tone.small.shape[0])
    first = next(search_rings(tone.edges, camera, size, QUICK))
    plainest = next(search_rings_from_above(tone.edges, camera, size))
    assert [hypothesis.coverage for hypothesis in first] == [
        hypothesis.coverage for hypothesis in plainest
    ]


def test_no_other_size_is_tried_where_the_likeliest_is_certain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = frame_of(draw_board(view_of(20.0, 15.0)))
    tone = next(make_channels(frame.image))
    asked = []

    def record_search(edges, camera, size_px, effort):  # type: ignore[no-untyped-def]
        for sizes in search_rings(edges, camera, size_px, effort):
            asked.append(len(sizes))
            yield [sizes[0], RingHypothesis(view=None, coverage=0.0)]  # type: ignore[arg-type]

    monkeypatch.setattr("vision.board.board_hypotheses.search_rings", record_search)
    found = find_hypothesis(
        tone.small, tone.edges, build_lens_prior(frame).rescale(tone.scale), QUICK
    )
    assert found is not None
    assert found.is_sure
    assert len(asked) == 1


def _count_calls(monkeypatch: pytest.MonkeyPatch, name: str) -> list[str]:
    """A list that grows by one at each call of a function that ``board_hypotheses`` uses."""
    calls: list[str] = []
    plain = getattr(board_hypotheses, name)

    def counted(*given: object, **named: object) -> object:
        calls.append(name)
        return plain(*given, **named)

    monkeypatch.setattr(board_hypotheses, name, counted)
    return calls


def test_without_circles_no_size_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    grey = np.full((768, 1024), 160, np.uint8)
    for k in range(14):  # boards of a floor, and a rail across them
        cv2.line(grey, (75 * k, 0), (75 * k + 20, 767), 60, 3)
    cv2.line(grey, (0, 300), (1023, 420), 230, 9)
    looked_at = _count_calls(monkeypatch, "find_line_radii")
    assert isinstance(find_board(frame_of(grey)), NoBoard)
    assert looked_at == []


def test_a_plates_rim_is_fitted_once_at_each_size_or_little_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grey = np.full((768, 1024), 150.0, np.float32)
    for share, value in ((1.0, 235.0), (0.92, 120.0), (0.66, 195.0), (0.62, 160.0), (0.3, 155.0)):
        axes = (int(270 * share), int(215 * share))
        cv2.ellipse(grey, (512, 384), axes, 10, 0, 360, value, -1, cv2.LINE_AA)
    grey += np.random.default_rng(5).normal(0.0, 4.0, grey.shape)
    tone = next(make_channels(frame_of(grey).image))
    prior = build_lens_prior(frame_of(grey)).rescale(tone.scale)
    rounds = _count_calls(monkeypatch, "measure_ring_support")
    fits = _count_calls(monkeypatch, "fit_coarse")
    assert find_hypothesis(tone.small, tone.edges, prior, THOROUGH) is None
    assert len(fits) > 0
    assert len(rounds) <= 1.5 * len(fits)


def test_a_place_at_which_two_trials_end_is_followed_up_once() -> None:
    frame = frame_of(draw_board(view_of(20.0, 15.0)))
    tone = next(make_channels(frame.image))
    camera = build_lens_prior(frame).rescale(tone.scale).camera()
    edges = make_camera_edges(tone.edges, camera)
    likeliest, *_ = vote_for_centres(
        edges, camera, tone.small.shape[::-1], ((14, 5), (24, 8)), QUICK
    )
    beside = replace(likeliest, place=likeliest.place + np.array([0.05, 0.0, 4.0, -4.0]))
    seen: list[np.ndarray] = []
    assert list(_make_hypotheses(edges, camera, likeliest, QUICK, seen))
    assert list(_make_hypotheses(edges, camera, beside, QUICK, [])) != []
    assert list(_make_hypotheses(edges, camera, beside, QUICK, seen)) == []


def test_weak_lines_are_worth_a_fit_where_edges_cover_their_rings() -> None:
    frame = frame_of(draw_board(view_of(20.0, 15.0), grain=12.0))
    tone = next(make_channels(frame.image))
    true = view_of(20.0, 15.0).rescale(tone.scale)
    pose = true.cam_from_board
    beside = (
        replace(
            true,
            cam_from_board=replace(pose, translation_mm=pose.translation_mm + np.array([mm, 0, 0])),
        )
        for mm in range(30)
    )
    least, usual = (
        board_hypotheses.PARAMS.min_covered_strength,
        board_hypotheses.STRICT.min_strength,
    )

    def is_weak(view: View) -> bool:
        lines = find_line_radii(tone.small, view)
        return lines is not None and least <= lines.strength < usual

    rough = next(view for view in beside if is_weak(view))
    for coverage, count in ((0.9, 0), (1.1, 1)):
        sizes = [RingHypothesis(view=rough, coverage=coverage)]
        assert len(list(_rank_sizes(tone.small, sizes, board_hypotheses.STRICT))) == count
