"""Tracker events of two cameras that were recorded separately, merged as in live watching."""

from __future__ import annotations

import math
from collections.abc import Iterable

from scorer.referee.cameras.merge_cameras import CameraMerger
from vision.track.events import TrackerEvent


def merge_recorded(
    first: Iterable[TrackerEvent],
    second: Iterable[TrackerEvent],
    ends_s: tuple[float, float] = (math.inf, math.inf),
) -> list[TrackerEvent]:
    """The merged events of two films; ``ends_s`` has the time of each film's end."""
    merger = CameraMerger()
    merged: list[TrackerEvent] = []
    told = [
        (event.t_s, camera, event)
        for camera, events in enumerate((first, second))
        for event in events
    ]
    ended: set[int] = set()
    for t_s, camera, event in sorted(told, key=lambda row: row[:2]):
        for other in {0, 1} - ended:
            if t_s > ends_s[other]:
                ended.add(other)
                merged += merger.end(other)
        if camera in ended:
            continue
        merged += merger.take(camera, event)
        for other in {0, 1} - ended:
            merged += merger.advance(other, t_s)
    for camera in {0, 1} - ended:
        merged += merger.end(camera)
    return merged
