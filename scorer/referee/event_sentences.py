"""Events as sentences for a person who watches the terminal.

Every type of event has its own; those that only a machine needs have none.
"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.referee.events import Event

_VERDICTS = {"legal": "legal", "foul": "FOUL", "needs_review": "a person must look"}


def describe_event(event: Event) -> Iterator[str]:
    """The lines of one event, each after its time; none for an event that only machines need."""
    describe = _DESCRIBERS.get(event["type"])
    if describe is not None:
        for line in describe(event):
            yield f"{_format_time(event['t_s'])}  {line}"


def _format_time(t_s: float) -> str:
    return f"{int(t_s // 60)}:{t_s % 60:04.1f}"


def _describe_shot(event: Event) -> Iterator[str]:
    yield f"Shot {event['index'] + 1} by {event['disc']}: {_VERDICTS[event['verdict']]}."
    for fault in event["faults"]:
        yield f"  {fault['code'].replace('_', ' ')}: {fault['rule']}"
    if event["remove"]:
        yield f"  Remove {', '.join(each['id'] for each in event['remove'])}."
    if event["question"]:
        yield f"  {event['question']}"


def _describe_twenty(event: Event) -> Iterator[str]:
    yield f"{event['disc']} is a 20: {event['count']} for its side. Take it off the board."


def _describe_removal(event: Event) -> Iterator[str]:
    yield f"Taken off: {', '.join(each['id'] for each in event['removed'])}."
    yield from (f"  {words}" for words in event["warnings"])


def _describe_board(event: Event) -> Iterator[str]:
    yield from event["warnings"]


def _describe_tracking_lost(event: Event) -> Iterator[str]:
    if event["over"]:
        yield "Refereeing again."
    else:
        yield f"NOT REFEREEING: {event['reason']}. {event['advice']}"


def _describe_camera(event: Event) -> Iterator[str]:
    name = ("first", "second")[event["camera"] - 1]
    if event["over"]:
        yield f"The {name} camera is back."
    else:
        yield f"The {name} camera is out, and the other goes on without it: {event['reason']}."


def _describe_slowed(event: Event) -> Iterator[str]:
    yield (
        f"Looking at {event['frames_per_s']:.0f} frames a second, {event['width_px']} px wide: "
        f"{event['reason']}. {event['advice']}"
    )


def _describe_moved(event: Event) -> Iterator[str]:
    shift = event["shift_mm"]
    yield "The camera or the board was moved" + ("." if shift is None else f", {shift:.1f} mm.")


def _describe_recalibrated(event: Event) -> Iterator[str]:
    yield f"The board was fitted again, to {event['residual_mm']:.2f} mm."


def _describe_round(event: Event) -> Iterator[str]:
    yield "The round: " + ", ".join(
        f"{each['colour_name']} {each['points']} ({each['twenties']} × 20)"
        for each in event["totals"]
    )
    if event["needs_review"]:
        yield "  A person must check this score:"
    yield from (f"  {doubt}." for doubt in event["doubts"])


def _describe_end(event: Event) -> Iterator[str]:
    if not event["frames"]:
        return  # the source could not be opened, which whoever named it is told
    frames = "1 frame was" if event["frames"] == 1 else f"{event['frames']} frames were"
    yield f"{event['reason']} {frames} looked at."
    left_out = event["left_out"]
    if left_out["moving"] or left_out["thinned"]:
        yield (
            f"  This machine was too busy for all of them: {left_out['moving']} in which something "
            f"moved were left out, {left_out['still']} like the one before, and "
            f"{left_out['thinned']} to look at fewer a second."
        )


_DESCRIBERS = {
    "shot": _describe_shot,
    "twenty": _describe_twenty,
    "removal": _describe_removal,
    "board": _describe_board,
    "not_refereeing": _describe_tracking_lost,
    "slowed": _describe_slowed,
    "camera": _describe_camera,
    "bumped": _describe_moved,
    "recalibrated": _describe_recalibrated,
    "round": _describe_round,
    "ended": _describe_end,
}
