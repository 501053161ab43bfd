"""Matches as files that other programs read: JSON with the whole log, CSV with the rounds, CMN.

JSON holds the whole log and is read back to the same. CSV holds what a scorekeeper writes down: a
line a round and side; single shots, shoot-outs and disputes are lost. Crokinole Match Notation
(CMN 1.0) is only written. What is read is folded, so that a match that cannot be is refused.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from scorer.match.entry import check_log_entry
from scorer.match.events import (
    Event,
    MatchError,
    MatchStarted,
    RoundScored,
    event_from_json,
    event_json,
)
from scorer.match.fold import fold
from scorer.match.scoring import winning_total
from scorer.match.state import MatchState, RoundResult
from scorer.match.turns import side_of, sides_of
from scorer.rules.choices import Format, GameEnd
from scorer.texts import quote

#: What the notation calls the formats that it tells.
CMN_FORMATS = {Format.TWO: "singles", Format.TEAMS: "doubles"}
_KIND, _VERSION = "crokinole-match", 1
_COLUMNS = (
    "rules",
    "options",
    "format",
    "players",
    "starter",
    "games",
    "colours",
    "round",
    "side",
    "points",
    "twenties",
    "value",
)


def match_as_json(log: Sequence[Event]) -> str:
    """The whole log as JSON."""
    content = {"format": _KIND, "version": _VERSION, "events": [event_json(each) for each in log]}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def match_from_json(text: str) -> tuple[Event, ...]:
    """The log that JSON holds. Raises ``MatchError``, also where the log does not fold."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MatchError(f"This is no JSON ({error}); export the match again.") from None
    if not isinstance(content, dict) or content.get("format") != _KIND:
        raise MatchError("This JSON holds no match; export one with `crokinole match export`.")
    if content.get("version") != _VERSION:
        raise MatchError(
            f"This match has version {quote(content.get('version'))}, but only {_VERSION} is "
            "known; update crokinole."
        )
    events = content.get("events")
    if not isinstance(events, list):
        raise MatchError("This match has no list of events; export it again.")
    log = tuple(event_from_json(each) for each in events)
    check_log_entry(log)
    fold(log)
    return log


def match_as_csv(log: Sequence[Event]) -> str:
    """The rounds as CSV, a line a round and side; one line without a round where none is scored."""
    state = fold(log)
    begun = log[0]
    assert isinstance(begun, MatchStarted)
    setup = (
        begun.rules,
        json.dumps(event_json(begun)["options"], ensure_ascii=False),
        str(begun.format),
        json.dumps(list(begun.players), ensure_ascii=False),
        begun.starter,
        begun.games,
        json.dumps(list(begun.colours), ensure_ascii=False),
    )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows((*setup, *row) for row in _round_rows(state))
    return text.getvalue()


def _round_rows(state: MatchState) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for number, each in enumerate(state.rounds, start=1):
        for side, name in enumerate(state.setup.sides):
            rows.append((number, name, each.points[side], each.twenties[side], each.value[side]))
    return rows or [("", "", "", "", "")]


def match_as_cmn(log: Sequence[Event], *, created: str, version: str) -> str:
    """A finished match of two sides as Crokinole Match Notation.

    created   when it was made, ISO 8601 in UTC
    version   of this program
    Raises ``MatchError`` for a match that goes on or has more than two sides.
    """
    state = fold(log)
    if state.setup.format not in CMN_FORMATS:
        raise MatchError("Match Notation tells singles and doubles only; export JSON or CSV.")
    if not state.is_over:
        raise MatchError("Match Notation tells finished matches only; export JSON or CSV.")
    match: dict[str, Any] = {
        "date": created.replace("+00:00", "Z"),
        "format": CMN_FORMATS[state.setup.format],
        "teams": [
            {"players": [{"name": state.setup.players[player]} for player in side]}
            for side in sides_of(state.setup.format)
        ],
        **_cmn_length(state),
        "games": [_cmn_game(state, each) for each in state.rounds],
        "winner": state.winners[0] if len(state.winners) == 1 else None,
    }
    content = {
        "cmn": "1.0",
        "id": str(uuid5(NAMESPACE_URL, match_as_json(log) + created)),
        "match": match,
        "source": {"app": "crokinole-referee", "version": version},
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _cmn_game(state: MatchState, result: RoundResult) -> dict[str, Any]:
    """One round: who won it, who shot first, points before subtraction, and 20s."""
    is_level = result.points[0] == result.points[1]
    return {
        "winner": None if is_level else result.points.index(max(result.points)),
        "hammer": side_of(state.setup.format, result.starter),
        "scores": list(result.points),
        "twenties": list(result.twenties),
    }


def _cmn_length(state: MatchState) -> dict[str, Any]:
    """What decides the match's length, where the notation has a word for it."""
    options = state.setup.options
    if state.setup.games > 1 or options.game_end is GameEnd.BEST_OF:
        return {}
    if options.game_end is GameEnd.ROUNDS:
        return {"gameFormat": {"type": "fixed", "count": options.game_rounds}}
    return {"gameFormat": {"type": "first_to", "target": winning_total(options, 2)}}


def match_from_csv(text: str) -> tuple[Event, ...]:
    """A log with the setup and the rounds that CSV holds. Raises ``MatchError``."""
    try:
        rows = list(csv.DictReader(io.StringIO(text)))
        if not rows or set(_COLUMNS) - {"colours"} - set(rows[0]):
            raise MatchError(f"A match as CSV has the columns {', '.join(_COLUMNS)}.")
        return _build_log(rows)
    except MatchError:
        raise
    except (ValueError, TypeError, KeyError, RecursionError, csv.Error) as error:
        raise MatchError(f"This CSV holds no match ({error}); export it again.") from None


def _build_log(rows: list[dict[str, str]]) -> tuple[Event, ...]:
    first = rows[0]
    setup: dict[str, Any] = {name: first[name] for name in ("rules", "format")}
    setup |= {name: json.loads(first[name]) for name in ("options", "players")}
    setup |= {name: int(first[name]) for name in ("starter", "games")}
    colours = json.loads(first.get("colours") or "[]")
    log = [event_from_json({"type": MatchStarted.type, "colours": colours, **setup})]
    check_log_entry(log)
    sides = fold(log).setup.sides
    scored_rows = [row for row in rows if row["round"] != ""]
    for at in range(0, len(scored_rows), len(sides)):
        group = scored_rows[at : at + len(sides)]
        if [row["side"] for row in group] != list(sides):
            raise MatchError(f"Round {quote(group[0]['round'])} needs a line for each of: {sides}.")
        points = tuple(int(row["points"]) for row in group)
        twenties = tuple(int(row["twenties"]) for row in group)
        log.append(RoundScored(points=points, twenties=twenties))
    check_log_entry(log)
    fold(log)
    return tuple(log)
