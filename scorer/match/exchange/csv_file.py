"""A match as CSV: a scorekeeper's sheet, with one line per round and side.

A shoot-out has its own lines, with its 20s. Single shots and disputes are lost.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from calibration.phrase import Phrase
from scorer.match.entry_bounds import check_log_entry
from scorer.match.events import (
    Event,
    MatchError,
    MatchStarted,
    ShootoutPlayed,
    event_from_json,
    event_json,
)
from scorer.match.exchange.record import (
    MatchRecord,
    add_round,
    check_file_size,
    describe_fault,
    read_time,
)
from scorer.match.fold import fold
from scorer.match.state import MatchState
from scorer.texts import guard_cell, quote

_COLUMNS = (
    "rules",
    "options",
    "format",
    "players",
    "starter",
    "games",
    "colours",
    "teams",
    "round",
    "side",
    "points",
    "twenties",
    "value",
    "round_starter",
    "begun",
)
#: Columns that files of earlier versions do not have.
_LATER_COLUMNS = frozenset({"colours", "teams", "round_starter", "begun"})
_SHOOTOUT = "shoot-out"


def match_as_csv(log: Sequence[Event], begun: str = "") -> str:
    """The rounds as CSV; one line without a round if none is scored.

    begun  time at which the match was created, ISO 8601
    """
    first = log[0]
    assert isinstance(first, MatchStarted)
    state = fold(log)
    setup = (
        first.rules,
        json.dumps(event_json(first)["options"], ensure_ascii=False),
        str(first.format),
        json.dumps(list(first.players), ensure_ascii=False),
        first.starter,
        first.games,
        json.dumps(list(first.colours), ensure_ascii=False),
        json.dumps(list(state.setup.teams), ensure_ascii=False),
    )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows((*setup, *row, begun) for row in _list_rows(state))
    return text.getvalue()


def _list_rows(state: MatchState) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    names = tuple(map(guard_cell, state.setup.sides))
    for number, result in enumerate(state.rounds, start=1):
        amounts = zip(names, result.points, result.twenties, result.value, strict=True)
        rows += [(number, *amount, result.starter) for amount in amounts]
        for played in state.shootouts:
            if played.after_round == number:
                made = zip(names, played.twenties, strict=True)
                rows += [(_SHOOTOUT, name, "", twenties, "", "") for name, twenties in made]
    return rows or [("", "", "", "", "", "")]


def record_from_csv(text: str) -> MatchRecord:
    """The match from CSV. Raises ``MatchError``."""
    check_file_size(text)
    try:
        rows = list(csv.DictReader(io.StringIO(text)))
        if not rows or set(_COLUMNS) - _LATER_COLUMNS - set(rows[0]):
            raise MatchError(
                Phrase("A match in CSV needs the columns %(columns)s.", columns=", ".join(_COLUMNS))
            )
        log = _build_log(rows)
        begun = rows[0].get("begun") or ""
    except MatchError:
        raise
    except (ValueError, TypeError, KeyError, RecursionError, csv.Error) as error:
        raise MatchError(
            Phrase(
                "This CSV file does not contain a match (%(error)s). Export it again.",
                error=describe_fault(error),
            )
        ) from None
    return MatchRecord(log=log, times=(read_time(begun),) * len(log) if begun else ())


def _build_log(rows: list[dict[str, str]]) -> tuple[Event, ...]:
    first = rows[0]
    setup: dict[str, object] = {name: first[name] for name in ("rules", "format")}
    setup |= {name: json.loads(first[name]) for name in ("options", "players")}
    setup |= {name: int(first[name]) for name in ("starter", "games")}
    setup |= {name: json.loads(first.get(name) or "[]") for name in ("colours", "teams")}
    log = [event_from_json({"type": MatchStarted.type, **setup})]
    check_log_entry(log)
    sides = fold(log).setup.sides
    scored_rows = [row for row in rows if row["round"] != ""]
    for at in range(0, len(scored_rows), len(sides)):
        group = scored_rows[at : at + len(sides)]
        named = [row["side"] for row in group]
        if named not in (list(sides), [guard_cell(name) for name in sides]):
            raise MatchError(
                Phrase(
                    "Round %(round)s needs one line for each side: %(sides)s.",
                    round=quote(group[0]["round"]),
                    sides=", ".join(sides),
                )
            )
        twenties = tuple(int(row["twenties"]) for row in group)
        if group[0]["round"] == _SHOOTOUT:
            log.append(ShootoutPlayed(twenties=twenties))
            continue
        starter = group[0].get("round_starter") or None
        points = tuple(int(row["points"]) for row in group)
        log = add_round(log, points, twenties, None if starter is None else int(starter))
    check_log_entry(log)
    fold(log)
    return tuple(log)
