"""A picture that froze while discs moved shows them at rest at places where they never stopped."""

from __future__ import annotations

from dataclasses import replace

import pytest
from json_referee import JsonReferee
from rest_boards import BLACK, INWARD, disc, rested, track

from scorer.rules.sets import rule_set
from vision.track.tracks.disc_track import DiscTrack

#: A disc slides in at 1 m/s and from then on is seen at its last place.
FROZEN = [*INWARD, *[INWARD[-1]] * 6]
#: Its deceleration is that of friction.
SLOWED = [*INWARD, *((0.0, -40.0 + away) for away in (18.0, 27.0, 31.0, 31.5, 31.5, 31.5))]


def _judge(mine: DiscTrack, *others: DiscTrack) -> dict:
    """The shot of ``mine``, with the other side's disc far away, or struck."""
    opponent = disc(120.0, 60.0, BLACK)
    before = [opponent, disc(0.0, -304.0)]
    lies = [float(length_mm) for length_mm in mine.last.place_mm]
    referee = JsonReferee(rule_set("nca"))
    events = [
        event
        for rest in (
            rested([], before),
            replace(rested(before, [opponent, disc(*lies)], [mine, *others]), saw_hand=False),
        )
        for event in referee.handle_event(rest)
    ]
    (shot,) = (event for event in events if event["type"] == "shot")
    return shot


@pytest.mark.parametrize(("places", "is_asked"), [(FROZEN, True), (SLOWED, False)])
def test_a_disc_that_stops_within_a_frame_is_asked_about(
    places: list[tuple[float, float]], is_asked: bool
) -> None:
    shot = _judge(track(places, name="1"))
    assert (shot["verdict"] == "needs_review") is is_asked


def test_a_disc_that_stops_as_another_flies_on_was_not_frozen() -> None:
    last = len(INWARD) / 30
    struck = track([(0.0, 25.0 * i) for i in range(6)], t_s=1.0 + last)
    assert _judge(track(FROZEN, name="1"), struck)["verdict"] != "needs_review"
