"""Two discs of one side whose tracks are exchanged as one strikes the other."""

from __future__ import annotations

import numpy as np
import pytest

from vision.track.tracks.disc_track import DiscTrack, Sample
from vision.track.tracks.exchanged_tracks import exchange_at_contact

RADIUS_MM = 15.9


def track(name: str, places_mm: list[tuple[float, float]]) -> DiscTrack:
    samples = [
        Sample(t_s=k / 25, place_mm=np.array(place_mm), is_free=True)
        for k, place_mm in enumerate(places_mm)
    ]
    return DiscTrack(name=name, lab=np.zeros(3), samples=samples)


COMING = [(-120.0, 169.0), (-86.0, 122.0), (-54.0, 77.0)]
LYING = [(-30.0, 62.0)] * 3
STRIKERS, PUSHED = [(-58.0, 64.0), (-61.0, 53.0)], [(-15.0, 40.0), (-14.0, 26.0)]


def ends(tracks: tuple[DiscTrack, DiscTrack]) -> list[tuple[float, float]]:
    return [tuple(path.last.place_mm) for path in tracks]


def test_what_goes_back_to_where_the_striker_came_from_is_the_striker() -> None:
    seen = track("1", [*COMING, *PUSHED]), track("2", [*LYING, *STRIKERS])
    exchanged = exchange_at_contact(*seen, RADIUS_MM)
    assert exchanged is not None
    assert ends(exchanged) == [STRIKERS[-1], PUSHED[-1]]
    assert [path.name for path in exchanged] == ["1", "2"]


@pytest.mark.parametrize(
    ("striker", "struck"),
    [
        ([*COMING, *STRIKERS], [*LYING, *PUSHED]),
        ([*COMING, *PUSHED], [*LYING, *LYING[:2]]),
        ([(x - 200.0, y) for x, y in [*COMING, *PUSHED]], [*LYING, *STRIKERS]),
        (COMING, [*LYING, *STRIKERS]),
    ],
    ids=["told rightly", "nothing struck", "far off", "lost at the contact"],
)
def test_tracks_that_may_be_right_stay_as_they_are(
    striker: list[tuple[float, float]], struck: list[tuple[float, float]]
) -> None:
    assert exchange_at_contact(track("1", striker), track("2", struck), RADIUS_MM) is None
