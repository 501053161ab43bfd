"""Events as sentences for a person at the terminal; some events have none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from scorer.referee.events import (
    BoardEvent,
    BumpedEvent,
    CameraEvent,
    EndedEvent,
    Event,
    HandEvent,
    MotionEvent,
    NotRefereeingEvent,
    RecalibratedEvent,
    RemovalEvent,
    RoundEvent,
    ShotEvent,
    SlowedEvent,
    TwentyEvent,
)
from scorer.rules.judge_shot import Verdict

_VERDICTS = {
    Verdict.LEGAL: "legal",
    Verdict.FOUL: "FOUL",
    Verdict.NEEDS_REVIEW: "needs a decision",
}


def describe_event(event: Event) -> Iterator[str]:
    """The lines of an event, after its time; none for an event that only programs need."""
    for line in _list_lines(event):
        yield f"{event.t_s // 60:.0f}:{event.t_s % 60:04.1f}  {line}"


def _list_lines(event: Event) -> Iterator[str]:
    match event:
        case ShotEvent():
            yield from _describe_shot(event)
        case TwentyEvent():
            yield f"{event.disc} is a 20 (20s of its side: {event.count}). Take it off the board."
        case RemovalEvent():
            yield f"Removed: {', '.join(disc.id for disc in event.removed)}."
            yield from (f"  {warning}" for warning in event.warnings)
        case BoardEvent():
            yield from event.warnings
        case NotRefereeingEvent(over=True):
            yield "Refereeing has resumed."
        case NotRefereeingEvent():
            yield f"NOT REFEREEING: {event.reason}. {event.advice}"
        case CameraEvent():
            name = ("first", "second")[event.camera - 1]
            out = f"not working, and the other continues without it: {event.reason}."
            yield f"The {name} camera is {'back.' if event.over else out}"
        case SlowedEvent():
            yield (
                f"Checking only {event.frames_per_s:.0f} frames per second, "
                f"{event.width_px} px wide: {event.reason}. {event.advice}"
            )
        case BumpedEvent():
            shift = "" if event.shift_mm is None else f", {event.shift_mm:.1f} mm"
            yield f"The camera or the board was moved{shift}."
        case RecalibratedEvent():
            yield f"The board was measured again, to within {event.residual_mm:.2f} mm."
        case RoundEvent():
            yield from _describe_round(event)
        case EndedEvent():
            yield from _describe_end(event)
        case MotionEvent() | HandEvent():
            pass
        case _:
            assert_never(event)


def _describe_shot(event: ShotEvent) -> Iterator[str]:
    yield f"Shot {event.index + 1} by {event.disc}: {_VERDICTS[event.verdict]}."
    for fault in event.faults:
        yield f"  {fault.code.replace('_', ' ')}: {fault.rule}"
    if event.remove:
        yield f"  Remove {', '.join(disc.id for disc in event.remove)}."
    if event.question:
        yield f"  {event.question}"


def _describe_round(event: RoundEvent) -> Iterator[str]:
    yield "The round: " + ", ".join(
        f"{total.colour_name} {total.points} (20s: {total.twenties})" for total in event.totals
    )
    if event.needs_review:
        yield "  Check this score:"
    yield from (f"  {doubt}." for doubt in event.doubts)


def _describe_end(event: EndedEvent) -> Iterator[str]:
    if not event.frames:
        return  # the source could not be opened, which was already reported
    frames = "1 frame was" if event.frames == 1 else f"{event.frames} frames were"
    yield f"{event.reason} {frames} checked."
    left_out = event.left_out
    if left_out.moving or left_out.thinned:
        yield (
            f"  This computer was too busy to check every frame. Skipped: {left_out.moving} with "
            f"movement, {left_out.still} that looked like the one before, {left_out.thinned} to "
            "lower the frame rate."
        )
