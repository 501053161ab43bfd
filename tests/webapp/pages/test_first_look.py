"""The place that a photo's page shows first: the one with the largest effect on the total."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from example_reading import BLACK, disc, frame, reading

from scorer.photo.score import score_reading
from vision.reading import UnexplainedObject, UnexplainedReason
from webapp.jobs.snapshot_job import SnapshotResult
from webapp.pages.snapshot.snapshot_page import build_first_look, list_open_questions

#: A disc whose edge touches the 15-line's inner edge.
CLOSE = disc(84.7, 0.0, BLACK)
HOLE = UnexplainedObject(centre_mm=np.array([0.6, -0.4]), reason=UnexplainedReason.HOLE)


def read(*things: UnexplainedObject) -> SnapshotResult:
    picture = frame()
    told = replace(reading(picture, (disc(150.0, 0.0), CLOSE)), unexplained=things)
    return SnapshotResult(score=score_reading(picture, told), plan_half_mm=360.0)


def test_the_hole_is_shown_before_a_close_call() -> None:
    seen = read(HOLE)
    look = build_first_look(seen, list_open_questions(seen, [2]))
    assert look is not None
    assert (look["at"], look["disc"]) == ((0.6, 0.4), None)


def test_a_close_call_is_shown_with_its_disc_until_somebody_looked_at_it() -> None:
    seen = read()
    (number,) = (k + 1 for k, called in enumerate(seen.score.discs) if called.disc is CLOSE)
    look = build_first_look(seen, list_open_questions(seen, [number]))
    assert look is not None
    assert (look["at"], look["disc"]) == ((84.7, -0.0), number)
    assert list_open_questions(seen, []) == []
    assert build_first_look(seen, []) is None
