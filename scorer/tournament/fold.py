"""A tournament as the fold of its events: the same log gives the same state, always.

Each event has one function that gives the state after it, or raises ``TournamentError`` in one
sentence. Undoing is an event too; nothing is ever taken out of a log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from scorer.tournament.events import (
    BoardAssigned,
    EntryAdded,
    EntryWithdrawn,
    Reporter,
    ResultReported,
    RoundBegun,
    RoundPaired,
    StageKind,
    StageStarted,
    TieBreakPlayed,
    TournamentError,
    TournamentEvent,
    TournamentStarted,
    TournamentUndone,
    WalkoverGiven,
)
from scorer.tournament.round_robin import count_rounds, deal_groups
from scorer.tournament.state import (
    Entry,
    MatchResult,
    Stage,
    TournamentMatch,
    TournamentState,
)

#: 20s that nobody can make in a match: 12 discs in each of 50 rounds.
_MOST_TWENTIES = 600


def fold(log: Sequence[TournamentEvent]) -> TournamentState:
    """The state after a log. Raises ``TournamentError`` for the first event that cannot be."""
    events = [log[place] for place in find_places_in_force(log)]
    if not events or not isinstance(events[0], TournamentStarted):
        raise TournamentError("Set up the tournament first.")
    return apply_events(TournamentState(setup=events[0]), events[1:])


def append_event(
    log: Sequence[TournamentEvent], event: TournamentEvent
) -> tuple[TournamentEvent, ...]:
    """The log with one more event. Raises ``TournamentError`` when it cannot be."""
    longer = (*log, event)
    fold(longer)
    return longer


def apply_events(state: TournamentState, events: Sequence[TournamentEvent]) -> TournamentState:
    """The state after some more events, none of them an undoing. Raises ``TournamentError``."""
    for event in events:
        state = _HANDLERS[type(event)](state, event)
    return state


def find_places_in_force(log: Sequence[TournamentEvent]) -> list[int]:
    """Indices in a log of the events that still hold, after all undoing."""
    places: list[int] = []
    for place, event in enumerate(log):
        if not isinstance(event, TournamentUndone):
            places.append(place)
        elif len(places) > 1:
            places.pop()
        else:
            raise TournamentError("There is nothing to undo yet.")
    return places


def _add_entry(state: TournamentState, event: EntryAdded) -> TournamentState:
    taken = {each.name.casefold() for each in state.entries if not each.has_left}
    entry = Entry(players=event.players)
    if entry.name.casefold() in taken:
        raise TournamentError(
            f"{entry.name} has already entered. Give the new player a different name."
        )
    after = replace(state, entries=(*state.entries, entry))
    if event.stage is None:
        return after
    stage = state.stage_at(event.stage)
    if stage.paired and stage.kind not in (StageKind.SWISS, StageKind.LADDER):
        raise TournamentError(
            f"{stage.name} has started and its pairings are fixed. Undo them to add {entry.name}."
        )
    entries = (*stage.entries, len(state.entries))
    return _replace_stage(after, event.stage, _stage_with_entries(stage, entries))


def _stage_with_entries(stage: Stage, entries: tuple[int, ...]) -> Stage:
    groups = deal_groups(entries, len(stage.groups))
    rounds = stage.rounds
    if stage.kind is StageKind.ROUND_ROBIN:
        rounds = max(count_rounds(len(group)) for group in groups)
    return replace(stage, entries=entries, groups=groups, rounds=rounds)


def _withdraw_entry(state: TournamentState, event: EntryWithdrawn) -> TournamentState:
    _check_entries(state, (event.entry,))
    entry = state.entries[event.entry]
    if entry.has_left and entry.is_disqualified >= event.disqualified:
        raise TournamentError(f"{entry.name} has already withdrawn.")
    gone = replace(entry, has_left=True, is_disqualified=event.disqualified)
    entries = tuple(gone if k == event.entry else each for k, each in enumerate(state.entries))
    after = replace(state, entries=entries)
    for number, match in enumerate(state.matches):
        if event.entry not in match.entries or match.is_bye:
            continue
        if match.result is None or event.disqualified:
            winner = match.opponent_of(event.entry)
            assert winner is not None
            after = _replace_match(after, number, result=_walkover(after, match, winner))
    return after


def _start_stage(state: TournamentState, event: StageStarted) -> TournamentState:
    _check_entries(state, event.entries)
    if len(set(event.entries)) < len(event.entries):
        raise TournamentError("An entry is listed twice in the stage. List each entry once.")
    gone = next((entry for entry in event.entries if state.entries[entry].has_left), None)
    if gone is not None:
        raise TournamentError(f"{state.entries[gone].name} has withdrawn and cannot be included.")
    if event.kind in (StageKind.SWISS, StageKind.LADDER) and event.rounds is None:
        raise TournamentError("Enter the number of rounds for this stage.")
    if event.groups > 1 and event.kind is not StageKind.ROUND_ROBIN:
        raise TournamentError("Only round robins can have groups.")
    if 2 * event.groups > len(event.entries):
        raise TournamentError(f"{event.groups} groups need at least two entries each.")
    stage = Stage(
        kind=event.kind,
        name=event.name,
        entries=event.entries,
        groups=((),) * event.groups,
        rounds=event.rounds,
        criteria=event.criteria,
    )
    stages = (*state.stages, _stage_with_entries(stage, event.entries))
    return replace(state, stages=stages)


def _pair_round(state: TournamentState, event: RoundPaired) -> TournamentState:
    stage = state.stage_at(event.stage)
    check_round_finished(state, event.stage)
    members = [number for pairing in event.pairings for number in (pairing.first, pairing.second)]
    paired = [member for member in members if member is not None]
    if len(set(paired)) < len(paired) or not set(paired) <= set(stage.entries):
        raise TournamentError(f"A player is paired twice or is not in {stage.name}.")
    for pairing in event.pairings:
        _check_board(state, pairing.board)
    matches = [
        TournamentMatch(
            stage=event.stage,
            round=stage.paired,
            first=each.first,
            second=each.second,
            board=each.board,
        )
        for each in event.pairings
    ]
    bye = MatchResult(points=(state.bye_points, 0), is_walkover=True)
    settled = [replace(match, result=bye) if match.is_bye else match for match in matches]
    after = replace(state, matches=(*state.matches, *settled))
    return _replace_stage(after, event.stage, replace(stage, paired=stage.paired + 1))


def check_round_finished(state: TournamentState, number: int) -> None:
    """Raise ``TournamentError`` where a stage is over, or a result of its last round is missing."""
    stage = state.stage_at(number)
    missing = next(
        (k for k in state.open_matches if state.matches[k].stage == number),
        None,
    )
    if missing is not None:
        raise TournamentError(
            f"The result of {describe_match(state, missing)} is missing. Enter it, or a walkover."
        )
    if state.is_stage_over(number):
        raise TournamentError(f"{stage.name} is over; all its rounds are played.")


def describe_match(state: TournamentState, number: int) -> str:
    """A match by the names of those who play it."""
    match = state.matches[number]
    return " against ".join(state.entries[entry].name for entry in match.entries)


def _begin_round(state: TournamentState, event: RoundBegun) -> TournamentState:
    if not state.open_matches:
        raise TournamentError("No match is waiting. Pair a round first.")
    return replace(state, rounds_begun=state.rounds_begun + 1, minutes=event.minutes)


def _assign_board(state: TournamentState, event: BoardAssigned) -> TournamentState:
    match = state.match_at(event.match)
    _check_board(state, event.board)
    if match.result is not None:
        raise TournamentError("This match is over and does not need a board.")
    other = next((k for k in state.open_matches if state.matches[k].board == event.board), None)
    if other is not None and other != event.match:
        raise TournamentError(
            f"{describe_match(state, other)} is played on {state.setup.boards[event.board]}."
        )
    return _replace_match(state, event.match, board=event.board)


def _report_result(state: TournamentState, event: ResultReported) -> TournamentState:
    match = state.match_at(event.match)
    _check_score(state, match, event)
    if event.by is Reporter.ORGANISER:
        return _settle_match(state, event)
    if match.result is not None:
        raise TournamentError("This result is already final. Only the organiser can correct it.")
    reports = (*(report for report in match.reports if report.by is not event.by), event)
    said = {(report.points, report.twenties) for report in reports}
    if len(reports) == 2 and len(said) == 1:
        return _settle_match(state, event)
    return _replace_match(state, event.match, reports=reports)


def _check_score(state: TournamentState, match: TournamentMatch, event: ResultReported) -> None:
    if match.is_bye:
        raise TournamentError("A bye has no result.")
    plan, (first, second) = state.plan, event.points
    if max(event.twenties) > _MOST_TWENTIES:
        raise TournamentError(f"A match cannot have {max(event.twenties)} 20s.")
    if plan.points is not None:
        if (first >= plan.points) == (second >= plan.points):
            raise TournamentError(f"Exactly one side must reach {plan.points} points.")
    elif plan.rounds is not None and first + second != 2 * plan.rounds:
        given = first + second
        if plan.rounds == 1:
            raise TournamentError(f"A round has 2 match points in total, not {given}.")
        raise TournamentError(
            f"{plan.rounds} rounds have {2 * plan.rounds} match points in total, not {given}."
        )
    if state.stages[match.stage].kind.is_knockout and first == second:
        raise TournamentError("A knock-out match needs a winner. Play a shoot-out of 20s.")


def _settle_match(state: TournamentState, event: ResultReported) -> TournamentState:
    result = MatchResult(points=event.points, twenties=event.twenties)
    return _replace_result(state, event.match, result)


def _give_walkover(state: TournamentState, event: WalkoverGiven) -> TournamentState:
    match = state.match_at(event.match)
    if match.is_bye or event.winner not in match.entries:
        raise TournamentError("The winner of a walkover must be one of the two players.")
    return _replace_result(state, event.match, _walkover(state, match, event.winner))


def _walkover(state: TournamentState, match: TournamentMatch, winner: int) -> MatchResult:
    points = (state.bye_points, 0) if winner == match.first else (0, state.bye_points)
    return MatchResult(points=points, is_walkover=True)


def _replace_result(state: TournamentState, number: int, result: MatchResult) -> TournamentState:
    """The state with a match's result; a knock-out that went on keeps who went on."""
    match = state.matches[number]
    after = _replace_match(state, number, result=result, reports=())
    stage = state.stages[match.stage]
    has_gone_on = stage.kind.is_knockout and match.round < stage.paired - 1
    if has_gone_on and after.matches[number].winner != match.winner:
        raise TournamentError(
            f"The winner has already been paired again in {stage.name}. Undo that pairing first."
        )
    return after


def _play_shootout(state: TournamentState, event: TieBreakPlayed) -> TournamentState:
    stage = state.stage_at(event.stage)
    if not set(event.entries) <= set(stage.entries) or len(event.twenties) != len(event.entries):
        raise TournamentError("Enter the 20s of every player in the shoot-out.")
    return replace(state, shootouts=(*state.shootouts, event))


def _refuse_second_start(_state: TournamentState, _event: TournamentStarted) -> TournamentState:
    raise TournamentError(
        "The tournament has started, so its setup cannot be changed. Create a new one instead."
    )


def _check_entries(state: TournamentState, numbers: Iterable[int]) -> None:
    for number in numbers:
        if number not in range(len(state.entries)):
            raise TournamentError(f"There is no entry {number + 1}.")


def _check_board(state: TournamentState, board: int | None) -> None:
    if board is not None and board not in range(len(state.setup.boards)):
        raise TournamentError(f"There is no board {board + 1}.")


def _replace_stage(state: TournamentState, number: int, stage: Stage) -> TournamentState:
    stages = tuple(stage if k == number else each for k, each in enumerate(state.stages))
    return replace(state, stages=stages)


def _replace_match(state: TournamentState, number: int, **changes: Any) -> TournamentState:
    matches = tuple(
        replace(match, **changes) if k == number else match for k, match in enumerate(state.matches)
    )
    return replace(state, matches=matches)


_HANDLERS: dict[type[Any], Callable[[TournamentState, Any], TournamentState]] = {
    TournamentStarted: _refuse_second_start,
    EntryAdded: _add_entry,
    EntryWithdrawn: _withdraw_entry,
    StageStarted: _start_stage,
    RoundPaired: _pair_round,
    RoundBegun: _begin_round,
    BoardAssigned: _assign_board,
    ResultReported: _report_result,
    WalkoverGiven: _give_walkover,
    TieBreakPlayed: _play_shootout,
}
