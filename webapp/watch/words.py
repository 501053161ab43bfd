"""Events as sentences for a person who watches the terminal.

Knows words. Every event has at least its own; those that only a machine needs have none.
"""

from __future__ import annotations

from collections.abc import Iterator

from webapp.watch.events import Event

_VERDICTS = {"legal": "legal", "foul": "FOUL", "needs_review": "a person must look"}


def in_words(told: Event) -> Iterator[str]:
    """The lines of one event."""
    speak = _SPEAKERS.get(told["type"])
    if speak is not None:
        for words in speak(told):
            yield f"{_clock(told['t_s'])}  {words}"


def _clock(t_s: float) -> str:
    return f"{int(t_s // 60)}:{t_s % 60:04.1f}"


def _shot(told: Event) -> Iterator[str]:
    yield f"Shot {told['index'] + 1} by {told['disc']}: {_VERDICTS[told['verdict']]}."
    for fault in told["faults"]:
        yield f"  {fault['code'].replace('_', ' ')}: {fault['rule']}"
    if told["remove"]:
        yield f"  Remove {', '.join(each['id'] for each in told['remove'])}."
    if told["question"]:
        yield f"  {told['question']}"


def _twenty(told: Event) -> Iterator[str]:
    yield f"{told['disc']} is a 20: {told['count']} for its side. Take it off the board."


def _removal(told: Event) -> Iterator[str]:
    yield f"Taken off: {', '.join(each['id'] for each in told['removed'])}."
    yield from (f"  {words}" for words in told["warnings"])


def _board(told: Event) -> Iterator[str]:
    yield from told["warnings"]


def _blind(told: Event) -> Iterator[str]:
    if told["over"]:
        yield "Refereeing again."
    else:
        yield f"NOT REFEREEING: {told['reason']}. {told['advice']}"


def _bumped(told: Event) -> Iterator[str]:
    shift = told["shift_mm"]
    yield "The camera or the board was moved" + ("." if shift is None else f", {shift:.1f} mm.")


def _recalibrated(told: Event) -> Iterator[str]:
    yield f"The board was fitted again, to {told['residual_mm']:.2f} mm."


def _round(told: Event) -> Iterator[str]:
    yield "The round: " + ", ".join(
        f"{each['colour_name']} {each['points']} ({each['twenties']} × 20)"
        for each in told["totals"]
    )
    if told["needs_review"]:
        yield "  A person must check this score:"
    yield from (f"  {doubt}." for doubt in told["doubts"])


_SPEAKERS = {
    "shot": _shot,
    "twenty": _twenty,
    "removal": _removal,
    "board": _board,
    "not_refereeing": _blind,
    "bumped": _bumped,
    "recalibrated": _recalibrated,
    "round": _round,
}
