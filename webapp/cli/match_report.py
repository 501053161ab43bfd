"""The state of a match for a terminal: as JSON and as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from calibration.json_text import to_plain
from scorer.match.descriptions import describe_goal
from scorer.match.state import MatchState
from scorer.rules.options import format_argument, to_json_value
from scorer.rules.sources import TITLES
from scorer.store import ListedMatch
from webapp.live.match_summary import describe_next, list_match, show_rounds
from webapp.live.questions import list_questions


def list_row(listed: ListedMatch) -> dict[str, object]:
    """A line of the list of matches as JSON; ``damage`` is the reason if one cannot be read."""
    row = to_plain(list_match(listed))
    number, damage = row.pop("id"), row.pop("damage")
    return {"match": number, **row, "winners": _list_winners(listed), "damage": damage}


def list_line(listed: ListedMatch) -> str:
    """A line of the list of matches, in words."""
    row, winners = list_match(listed), _list_winners(listed)
    if row.damage:
        return f"{row.id}  {format_moment(row.created)}  damaged: {row.damage}"
    score = " : ".join(map(str, row.totals))
    names = " and ".join(row.sides[side] for side in winners)
    over = f", {names} {'won' if len(winners) == 1 else 'tied'}" if winners else ""
    return f"{row.id}  {format_moment(row.created)}  {' - '.join(row.sides)}  {score}{over}"


def _list_winners(listed: ListedMatch) -> tuple[int, ...]:
    return () if listed.summary is None else listed.summary.winners


def format_moment(created: str) -> str:
    """A stored time, ISO 8601, as local date and time, to the minute."""
    return f"{datetime.fromisoformat(created).astimezone():%Y-%m-%d %H:%M}"


def setup_lines(state: MatchState, created: str) -> Iterator[str]:
    """The settings of a match: rules, format, goal, house rules, and its start."""
    setup = state.setup
    games = f", best of {setup.games} games" if setup.games > 1 else ""
    yield f"Rules: {TITLES[setup.rules.name]}, {describe_goal(setup)}{games}"
    yield f"Format: {setup.format.words}"
    changed = sorted(setup.rules.changed)
    if changed:
        values = (f"{name}={format_argument(getattr(setup.options, name))}" for name in changed)
        yield f"House rules: {', '.join(values)}"
    yield f"Started: {format_moment(created)}"


def state_json(state: MatchState) -> dict[str, object]:
    """The state of a match as JSON."""
    return {
        "rules": str(state.setup.rules.name),
        "options": {
            name: to_json_value(getattr(state.setup.options, name))
            for name in sorted(state.setup.rules.changed)
        },
        "format": str(state.setup.format),
        "goal": describe_goal(state.setup),
        "best_of_games": state.setup.games,
        "players": list(state.setup.players),
        "sides": list(state.setup.sides),
        "colours": list(state.setup.colours),
        "rounds": to_plain(show_rounds(state)),
        "totals": list(state.totals),
        "twenties": list(state.twenties),
        "games": to_plain(state.games),
        "disputes": to_plain(state.disputes),
        "fouls": [
            {"player": state.setup.players[foul.player], "foul": str(foul.foul)}
            for foul in state.fouls
        ],
        "starter": state.round.starter,
        "turn": state.turn,
        "hammer": state.hammer,
        "board": [
            {"id": disc.id, "side": state.setup.sides[disc.side], "zone": disc.zone}
            for disc in state.round.board
        ],
        "discs_left": list(state.discs_left),
        "shootout": list(state.shootout),
        "shootouts": to_plain(state.shootouts),
        "winners": list(state.winners),
        "is_over": state.is_over,
    }


def state_lines(state: MatchState) -> Iterator[str]:
    """The state of a match in lines: rounds, disputes, fouls, board, totals, the next step."""
    sides, names = state.setup.sides, state.setup.players
    for number, result in enumerate(state.rounds, start=1):
        points, value = format_amounts(sides, result.points), format_amounts(sides, result.value)
        yield f"  round {number}: {points} ({'a question is open' if result.is_open else value})"
        for shootout in state.shootouts:
            if shootout.after_round == number:
                yield f"  shoot-out, 20s: {format_amounts(sides, shootout.twenties)}"
    for number, dispute in enumerate(state.disputes, start=1):
        yield f"  dispute {number}: {dispute.about} ({dispute.decision or 'open'})"
    for foul in state.fouls:
        yield f"  {names[foul.player]}: {foul.foul.words}"
    for disc in state.round.board:
        yield f"  disc {disc.id}: {sides[disc.side]} {disc.zone}"
    if any(state.round.twenties):
        yield f"  20s this round: {format_amounts(sides, state.round.twenties)}"
    for question in list_questions(state):
        if question.dispute is None:
            how = " Yes: `crokinole match add --over`." if question.kind == "end" else ""
            yield f"  {question.words}{how}"
    yield f"Total: {format_amounts(sides, state.totals)}"
    yield f"20s: {format_amounts(sides, state.twenties)}"
    is_shot = state.turn is None and not (state.is_over or state.shootout)
    yield describe_next(state) + (" Score it with `crokinole match add`." if is_shot else "")


def format_amounts(sides: Sequence[str], values: Sequence[int]) -> str:
    """A number for every side."""
    return " · ".join(f"{name} {value}" for name, value in zip(sides, values, strict=True))
