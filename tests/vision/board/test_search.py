"""What the search for boards does quickly gives what its plain definition gives."""

from __future__ import annotations

import pytest
from drawn_board import draw_board, frame_of, view_of

from vision.board.board_hypotheses import find_hypothesis
from vision.board.centre_search import QUICK
from vision.board.channels import make_channels
from vision.board.find_board import build_lens_prior
from vision.board.search import RingHypothesis, search_rings, search_rings_from_above


def test_a_board_seen_from_above_is_the_first_that_is_tried() -> None:
    frame = frame_of(draw_board(view_of(20.0, 15.0)))
    tone = next(make_channels(frame.image))
    camera = build_lens_prior(frame).rescale(tone.scale).camera()
    size = (tone.small.shape[1], tone.small.shape[0])
    first = next(search_rings(tone.edges, camera, size, QUICK))
    plainest = search_rings_from_above(tone.edges, camera, size)
    assert [each.coverage for each in first] == [each.coverage for each in plainest]


def test_no_other_size_is_looked_at_where_the_likeliest_is_surely_a_board(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = frame_of(draw_board(view_of(20.0, 15.0)))
    tone = next(make_channels(frame.image))
    asked = []

    def told(edges, camera, size_px, effort):  # type: ignore[no-untyped-def]
        for sizes in search_rings(edges, camera, size_px, effort):
            asked.append(len(sizes))
            yield [sizes[0], RingHypothesis(view=None, coverage=0.0)]  # type: ignore[arg-type]

    monkeypatch.setattr("vision.board.board_hypotheses.search_rings", told)
    found = find_hypothesis(
        tone.small, tone.edges, build_lens_prior(frame).rescale(tone.scale), QUICK
    )
    assert found is not None
    assert found.is_sure
    assert len(asked) == 1
