"""A finished match as Crokinole Match Notation (CMN 1.0-draft, Crokinole Open Data Alliance).

The notation has two sides, the rounds ("games") and the winner; programs may add fields. Ours adds
``setup``, the rules in force, and ``shootouts``. Without them a round is worth 2 points, as the
notation says, under NCA rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from calibration.json_text import format_json
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
from scorer.match.exchange.json_file import match_as_json
from scorer.match.exchange.record import MatchRecord, add_round, describe_fault, read_time
from scorer.match.fold import fold
from scorer.match.scoring import winning_total
from scorer.match.state import MatchState, RoundResult
from scorer.match.turns import side_of, sides_of
from scorer.rules.choices import EndTie, Format, GameEnd, RoundScore
from scorer.texts import quote

#: The notation's names for formats.
CMN_FORMATS = {Format.TWO: "singles", Format.TEAMS: "doubles"}
_FORMATS = {words: format_ for format_, words in CMN_FORMATS.items()}
#: Number of a player's discs if a file does not state it: a set has no more.
_MOST_DISCS = 12


def match_as_cmn(log: Sequence[Event], *, created: str, version: str) -> str:
    """A finished match of two sides as Crokinole Match Notation.

    created   time at which it was created, ISO 8601 in UTC
    version   of this program
    Raises ``MatchError`` for an unfinished match or one with more than two sides.
    """
    state = fold(log)
    teams = state.setup.teams
    if state.setup.format not in CMN_FORMATS:
        raise MatchError(
            Phrase("Match Notation supports only singles and doubles. Export JSON or CSV.")
        )
    if not state.is_over:
        raise MatchError(
            Phrase("Match Notation supports only finished matches. Export JSON or CSV.")
        )
    match: dict[str, Any] = {
        "date": created.replace("+00:00", "Z"),
        "format": CMN_FORMATS[state.setup.format],
        "teams": [
            {"players": [{"name": state.setup.players[player]} for player in side]}
            for side in sides_of(state.setup.format)
        ],
        **_describe_length(state),
        "games": [_describe_game(state, result) for result in state.rounds],
        "winner": state.winners[0] if len(state.winners) == 1 else None,
        "setup": event_json(log[0]) | ({"teams": list(teams)} if teams else {}),
        "shootouts": [
            {"after": played.after_round, "twenties": list(played.twenties)}
            for played in state.shootouts
        ],
    }
    content = {
        "cmn": "1.0",
        "id": str(uuid5(NAMESPACE_URL, match_as_json(log) + created)),
        "match": match,
        "source": {"app": "crokinole-referee", "version": version},
    }
    return format_json(content, indent=1, ensure_ascii=False) + "\n"


def _describe_game(state: MatchState, result: RoundResult) -> dict[str, object]:
    """One round: its winner, its first shooter, points before subtraction, and 20s."""
    is_tied = result.points[0] == result.points[1]
    return {
        "winner": None if is_tied else result.points.index(max(result.points)),
        "hammer": side_of(state.setup.format, result.starter),
        "scores": list(result.points),
        "twenties": list(result.twenties),
    }


def _describe_length(state: MatchState) -> dict[str, object]:
    """The end of the match, if the notation has a word for it."""
    options = state.setup.options
    if state.setup.games > 1 or options.game_end is GameEnd.BEST_OF:
        return {}
    if options.game_end is GameEnd.ROUNDS:
        return {"gameFormat": {"type": "fixed", "count": options.game_rounds}}
    return {"gameFormat": {"type": "first_to", "target": winning_total(options, 2)}}


def records_from_cmn(content: Mapping[str, Any]) -> tuple[MatchRecord, ...]:
    """The matches from parsed Match Notation, one or a batch. Raises ``MatchError``."""
    held = content.get("matches") if content.get("batch") else [content]
    try:
        assert isinstance(held, list)
        return tuple(_read_match(entry["match"]) for entry in held)
    except MatchError:
        raise
    except (AssertionError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise MatchError(
            Phrase(
                "This Match Notation cannot be read (%(error)s). Export it again.",
                error=describe_fault(error),
            )
        ) from None


def _read_match(match: Mapping[str, Any]) -> MatchRecord:
    setup = match.get("setup")
    log = [_guess_setup(match) if setup is None else event_from_json(setup)]
    check_log_entry(log)
    shootouts = list(match.get("shootouts", ()))
    format_ = fold(log).setup.format
    for number, game in enumerate(match["games"], start=1):
        if "scores" not in game:
            raise MatchError(
                Phrase(
                    "This Match Notation says who won each round but not the points. "
                    "Ask for a file with scores."
                )
            )
        twenties = game.get("twenties")
        starter = game.get("hammer") if format_ is Format.TWO else None
        log = add_round(log, _read_pair(game["scores"]), twenties and _read_pair(twenties), starter)
        for shootout in shootouts:
            if shootout["after"] == number:
                log.append(ShootoutPlayed(twenties=_read_pair(shootout["twenties"])))
    check_log_entry(log)
    fold(log)
    return MatchRecord(log=tuple(log), times=(read_time(match["date"]),) * len(log))


def _guess_setup(match: Mapping[str, Any]) -> MatchStarted:
    """The setup of a match written by another program."""
    teams = [[player["name"] for player in team["players"]] for team in match["teams"]]
    options: dict[str, Any] = {
        "round_score": str(RoundScore.MATCH_PLAY),
        "discs_singles": _MOST_DISCS,
        "end_tie": str(EndTie.BOTH_WIN if match.get("winner") is None else EndTie.SHOOTOUT),
    }
    length = match.get("gameFormat") or {"type": "fixed", "count": len(match["games"])}
    if length["type"] == "first_to":
        options |= {"game_end": str(GameEnd.POINTS), "match_points": length["target"]}
    else:
        options |= {"game_end": str(GameEnd.ROUNDS), "game_rounds": length["count"]}
    first = match["games"][0].get("hammer", 0) if match["games"] else 0
    content = {
        "type": MatchStarted.type,
        "rules": "nca",
        "format": str(_FORMATS[match["format"]]),
        "players": [name for pair in zip(*teams, strict=True) for name in pair],
        "options": options,
        "starter": first,
    }
    setup = event_from_json(content)
    assert isinstance(setup, MatchStarted)
    return setup


def _read_pair(value: Any) -> tuple[int, int]:
    one, other = value
    if type(one) is not int or type(other) is not int:
        raise MatchError(
            Phrase(
                "%(value)s is not a pair of whole numbers. Export the match again.",
                value=quote(value),
            )
        )
    return one, other
