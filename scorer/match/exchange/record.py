"""A match from a file: its log, and the times of its events if the file has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from calibration.phrase import Phrase
from scorer.match.events import Event, MatchError, RoundScored, StarterChosen
from scorer.match.fold import fold, may_choose_starter
from scorer.texts import quote

#: Parsed data take some twenty times as much memory; the longest match has a tenth of this size.
_MAX_FILE_LETTERS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """A match and its times, ISO 8601 in UTC: one per event, or none if they are not known."""

    log: tuple[Event, ...]
    times: tuple[str, ...] = ()


def check_file_size(text: str) -> None:
    """Raise ``MatchError`` for a file larger than a club's matches of many years."""
    if len(text) > _MAX_FILE_LETTERS:
        raise MatchError(
            Phrase(
                "This file has %(characters)s characters. The limit is "
                "%(most)s. Export fewer matches at a time.",
                characters=len(text),
                most=_MAX_FILE_LETTERS,
            )
        )


def describe_fault(error: Exception) -> str:
    """The fault of a file's content, in a few words."""
    if isinstance(error, KeyError):
        return Phrase("it has no %(field)s", field=str(error.args[0]).replace("_", " "))
    if type(error) is ValueError and error.args:
        return str(error)
    return Phrase("one of its values is invalid")


def read_time(value: Any) -> str:
    """A time of day in the store's form. Raises ``MatchError`` otherwise."""
    try:
        moment = datetime.fromisoformat(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).isoformat(timespec="milliseconds")
    except (TypeError, ValueError, OverflowError):
        raise MatchError(
            Phrase("%(value)s is not a date and time. Export the match again.", value=quote(value))
        ) from None


def add_round(
    log: Sequence[Event],
    points: tuple[int, ...],
    twenties: tuple[int, ...] | None,
    starter: int | None,
) -> list[Event]:
    """The log with one more round, and its starter if the rules allow a choice."""
    state = fold(log)
    chosen: list[Event] = []
    if starter not in (None, state.round.starter) and may_choose_starter(state):
        assert starter is not None
        chosen = [StarterChosen(player=starter)]
    return [*log, *chosen, RoundScored(points=points, twenties=twenties)]
