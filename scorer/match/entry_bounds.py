"""Limits for entries in a match's log: texts that can be displayed, and finite numbers.

They apply when an event is entered, not when it is read back, so a match from an earlier version
stays readable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass

from calibration.phrase import Phrase
from scorer.match.events import Event, MatchError
from scorer.texts import MAX_NAME_LETTERS, MAX_REMARK_LETTERS, describe_text_fault

#: Fields that contain sentences; every other text is a name.
_REMARKS = frozenset({"about", "decision", "corrections", "question", "questions"})
#: More than a round, match or log ever contains.
_MAX_NUMBER, _MAX_LIST, _MAX_EVENTS = 1_000_000, 64, 10_000


def check_entry(event: Event) -> None:
    """Raise ``MatchError`` for a text that cannot be shown, and for an unreasonable value."""
    for name, value in _list_values(event):
        if isinstance(value, str):
            most = MAX_REMARK_LETTERS if name in _REMARKS else MAX_NAME_LETTERS
            fault = describe_text_fault(value, most)
            if fault is not None:
                raise MatchError(Phrase("Some text in %(name)s %(fault)s.", name=name, fault=fault))
        elif isinstance(value, tuple) and len(value) > _MAX_LIST:
            raise MatchError(
                Phrase(
                    "%(name)s has %(entries)s entries. The limit is %(most)s.",
                    name=name,
                    entries=len(value),
                    most=_MAX_LIST,
                )
            )
        elif isinstance(value, int) and abs(value) > _MAX_NUMBER:
            raise MatchError(
                Phrase(
                    "A number in %(name)s is over %(most)s. Enter a smaller one.",
                    name=name,
                    most=_MAX_NUMBER,
                )
            )


def check_log_entry(log: Sequence[Event]) -> None:
    """``check_entry`` for a whole log, whose length is limited too."""
    if len(log) > _MAX_EVENTS:
        raise MatchError(
            Phrase(
                "This match has %(events)s events. An imported match can have at most %(most)s.",
                events=len(log),
                most=_MAX_EVENTS,
            )
        )
    for event in log:
        check_entry(event)


def _list_values(event: object, name: str = "") -> Iterator[tuple[str, object]]:
    """All values of an event with the names of their fields, lists before their items."""
    if is_dataclass(event):
        for field in fields(event):
            inner = field.name if field.name in _REMARKS else name or field.name
            yield from _list_values(getattr(event, field.name), inner)
        return
    yield name, event
    if isinstance(event, tuple):
        for value in event[: _MAX_LIST + 1]:
            yield from _list_values(value, name)
