"""A tournament as the fold of its events: the same log always gives the same state.

Every kind of event has one function that returns the state after it, or raises ``TournamentError``
with one sentence. An undo is an event too; nothing is ever removed from a log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from calibration.phrase import Phrase, join, term
from scorer.tournament.events import (
    BoardAssigned,
    BoardsSwapped,
    CriteriaChanged,
    EntriesSwapped,
    EntryAdded,
    EntryRenamed,
    EntryReturned,
    EntryWithdrawn,
    LeaverResults,
    Reporter,
    ReportRefused,
    ResultReported,
    RoundBegun,
    RoundPaired,
    RoundSatOut,
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
    find_unmet,
)

#: More 20s than a side can make in a match: 12 discs in each of 50 rounds.
_MOST_TWENTIES = 600


def fold(log: Sequence[TournamentEvent]) -> TournamentState:
    """The state after a log. Raises ``TournamentError`` for the first impossible event."""
    events = [log[place] for place in find_places_in_force(log)]
    if not events or not isinstance(events[0], TournamentStarted):
        raise TournamentError(Phrase("Set up the tournament first."))
    return apply_events(TournamentState(setup=events[0]), events[1:])


def apply_events(state: TournamentState, events: Sequence[TournamentEvent]) -> TournamentState:
    """The state after further events, none of them an undo. Raises ``TournamentError``."""
    for event in events:
        state = _HANDLERS[type(event)](state, event)
    return state


def find_places_in_force(log: Sequence[TournamentEvent]) -> list[int]:
    """Indices in a log of the events in force, after all undos."""
    places: list[int] = []
    for place, event in enumerate(log):
        if not isinstance(event, TournamentUndone):
            places.append(place)
        elif len(places) > 1:
            places.pop()
        else:
            raise TournamentError(Phrase("There is nothing to undo yet."))
    return places


def _add_entry(state: TournamentState, event: EntryAdded) -> TournamentState:
    entry = Entry(players=event.players)
    _check_name(state, entry)
    after = replace(state, entries=(*state.entries, entry))
    if event.stage is None:
        return after
    stage = state.stage_at(event.stage)
    if stage.paired and stage.kind.is_knockout:
        raise TournamentError(
            Phrase(
                "%(stage)s has started and its pairings are fixed. Undo them to add %(entry)s.",
                stage=term(stage.name),
                entry=entry.name,
            )
        )
    return _replace_stage(after, event.stage, _join_stage(stage, len(state.entries)))


def _check_name(state: TournamentState, entry: Entry, number: int | None = None) -> None:
    """Raise ``TournamentError`` if another active entry has the entry's name."""
    for other_number, other in enumerate(state.entries):
        is_other = other_number != number and not other.has_left
        if is_other and other.name.casefold() == entry.name.casefold():
            raise TournamentError(
                Phrase(
                    "%(name)s has already entered. Give the new player a different name.",
                    name=entry.name,
                )
            )


def _join_stage(stage: Stage, entry: int) -> Stage:
    """The stage with one more entry; in a round robin that has begun, the entry joins a small
    group.
    """
    entries = (*stage.entries, entry)
    if not stage.paired or stage.kind is not StageKind.ROUND_ROBIN:
        return _stage_with_entries(stage, entries)
    smallest = min(stage.groups, key=len)
    groups = tuple((*group, entry) if group is smallest else group for group in stage.groups)
    return replace(stage, entries=entries, groups=groups, is_irregular=True)


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
        raise TournamentError(Phrase("%(name)s has already withdrawn.", name=entry.name))
    after = _replace_entry(
        state,
        event.entry,
        has_left=True,
        is_disqualified=event.disqualified,
        left_as=event.results,
    )
    for number, match in enumerate(state.matches):
        if event.entry not in match.entries or match.is_bye:
            continue
        if event.results is LeaverResults.ANNULLED and _is_in_round_robin(state, match.stage):
            played = match.result or MatchResult(points=(0, 0), is_walkover=True)
            after = _replace_match(after, number, result=replace(played, is_annulled=True))
        elif match.result is None or event.disqualified:
            winner = match.opponent_of(event.entry)
            assert winner is not None
            after = _replace_match(after, number, result=_walkover(after, match, winner))
    return _give_walkovers(state, after, event)


def _give_walkovers(
    before: TournamentState, after: TournamentState, event: EntryWithdrawn
) -> TournamentState:
    """Give walkovers to entries that would have met the leaver later in a round robin."""
    if event.results is not LeaverResults.WALKOVERS:
        return after
    for number, stage in enumerate(before.stages):
        if not _is_in_round_robin(before, number):
            continue
        for pair in find_unmet(before, number):
            if event.entry in pair:
                (other,) = pair - {event.entry}
                lost = TournamentMatch(
                    stage=number, round=max(0, stage.paired - 1), first=other, second=event.entry
                )
                lost = replace(lost, result=_walkover(after, lost, other))
                after = replace(after, matches=(*after.matches, lost))
    return after


def _is_in_round_robin(state: TournamentState, number: int) -> bool:
    """Whether a stage is a round robin with matches still to play."""
    is_round_robin = state.stages[number].kind is StageKind.ROUND_ROBIN
    return is_round_robin and not state.is_stage_over(number)


def judge_leaving(state: TournamentState, entry: int) -> LeaverResults | None:
    """The usual way to count the matches of an entry that withdraws: annul them if fewer than half
    were played.

    None if it is not in an unfinished round robin.
    """
    for number, stage in enumerate(state.stages):
        if entry in stage.entries and _is_in_round_robin(state, number):
            group = next(group for group in stage.groups if entry in group)
            played = sum(
                match.result is not None and not match.result.is_walkover
                for match in state.matches_of_stage(number)
                if entry in match.entries
            )
            is_under_half = 2 * played < len(group) - 1
            return LeaverResults.ANNULLED if is_under_half else LeaverResults.WALKOVERS
    return None


def _return_entry(state: TournamentState, event: EntryReturned) -> TournamentState:
    """Count its matches again, unless the opponent has left too."""
    _check_entries(state, (event.entry,))
    entry = state.entries[event.entry]
    if not entry.has_left:
        raise TournamentError(Phrase("%(name)s has not withdrawn.", name=entry.name))
    _check_name(state, entry, event.entry)
    after = _replace_entry(
        state, event.entry, has_left=False, is_disqualified=False, left_as=None, rests=False
    )
    for number, match in enumerate(state.matches):
        result = match.result
        if (
            result
            and result.is_annulled
            and not result.is_walkover
            and event.entry in match.entries
        ):
            is_still = any(after.entries[other].is_settled for other in match.entries)
            result = replace(result, is_annulled=is_still)
            after = _replace_match(after, number, result=result)
    for number, stage in enumerate(state.stages):
        if event.entry in stage.entries and stage.kind is StageKind.ROUND_ROBIN and stage.paired:
            after = _leave_plan(after, number)
    return after


def _leave_plan(state: TournamentState, number: int) -> TournamentState:
    """From now on, pair entries in a round robin that have not met, instead of following the
    plan.
    """
    return _replace_stage(state, number, replace(state.stages[number], is_irregular=True))


def _rename_entry(state: TournamentState, event: EntryRenamed) -> TournamentState:
    _check_entries(state, (event.entry,))
    _check_name(state, Entry(players=event.players), event.entry)
    return _replace_entry(state, event.entry, players=event.players)


def _sit_out(state: TournamentState, event: RoundSatOut) -> TournamentState:
    _check_entries(state, (event.entry,))
    entry = state.entries[event.entry]
    if entry.has_left:
        raise TournamentError(Phrase("%(name)s has already withdrawn.", name=entry.name))
    after = _replace_entry(state, event.entry, rests=True)
    for number, stage in enumerate(state.stages):
        if event.entry not in stage.entries or state.is_stage_over(number):
            continue
        if stage.kind.is_knockout:
            raise TournamentError(
                Phrase("Nobody can sit out in a knock-out. Enter a walkover instead.")
            )
        if stage.kind is StageKind.ROUND_ROBIN:
            after = _leave_plan(after, number)
    return after


def _change_criteria(state: TournamentState, event: CriteriaChanged) -> TournamentState:
    stage = state.stage_at(event.stage)
    if stage.kind.is_knockout or stage.kind is StageKind.LADDER:
        raise TournamentError(
            Phrase(
                "%(name)s is ranked by match results only, so its tie-breaks cannot be changed.",
                name=term(stage.name),
            )
        )
    return _replace_stage(state, event.stage, replace(stage, criteria=event.criteria))


def _start_stage(state: TournamentState, event: StageStarted) -> TournamentState:
    _check_entries(state, event.entries)
    if len(set(event.entries)) < len(event.entries):
        raise TournamentError(
            Phrase("A player is listed twice in the stage. List each player once.")
        )
    gone = next((entry for entry in event.entries if state.entries[entry].has_left), None)
    if gone is not None:
        raise TournamentError(
            Phrase("%(name)s has withdrawn and cannot be included.", name=state.entries[gone].name)
        )
    if event.kind in (StageKind.SWISS, StageKind.LADDER) and event.rounds is None:
        raise TournamentError(Phrase("Enter the number of rounds for this stage."))
    if event.groups > 1 and event.kind is not StageKind.ROUND_ROBIN:
        raise TournamentError(Phrase("Only round robins can have groups."))
    if 2 * event.groups > len(event.entries):
        raise TournamentError(
            Phrase("%(groups)s groups need at least two players each.", groups=event.groups)
        )
    stage = Stage(
        kind=event.kind,
        name=event.name,
        entries=event.entries,
        groups=((),) * event.groups,
        rounds=event.rounds,
        criteria=event.criteria,
        has_third_place=event.third_place,
    )
    stages = (*state.stages, _stage_with_entries(stage, event.entries))
    return replace(state, stages=stages)


def _pair_round(state: TournamentState, event: RoundPaired) -> TournamentState:
    stage = state.stage_at(event.stage)
    check_round_finished(state, event.stage)
    members = [number for pairing in event.pairings for number in (pairing.first, pairing.second)]
    paired = [member for member in members if member is not None]
    if len(set(paired)) < len(paired) or not set(paired) <= set(stage.entries):
        raise TournamentError(
            Phrase("A player is paired twice or is not in %(name)s.", name=term(stage.name))
        )
    for pairing in event.pairings:
        _check_board(state, pairing.board)
    matches = [
        TournamentMatch(
            stage=event.stage,
            round=stage.paired,
            first=pairing.first,
            second=pairing.second,
            board=pairing.board,
        )
        for pairing in event.pairings
    ]
    bye = MatchResult(points=(state.bye_points, 0), is_walkover=True)
    settled = [replace(match, result=bye) if match.is_bye else match for match in matches]
    entries = tuple(replace(entry, rests=False) for entry in state.entries)
    after = replace(state, entries=entries, matches=(*state.matches, *settled))
    return _replace_stage(after, event.stage, replace(stage, paired=stage.paired + 1))


def _swap_entries(state: TournamentState, event: EntriesSwapped) -> TournamentState:
    """Let two entries swap places; the matches and their boards stay."""
    stage, pair = state.stage_at(event.stage), {event.first, event.second}
    places = [
        number
        for number, match in enumerate(state.matches)
        if match.stage == event.stage and match.round == stage.paired - 1
        if pair & set(match.entries)
    ]
    if (
        not places
        or not pair <= set(stage.entries)
        or pair <= set(state.matches[places[0]].entries)
    ):
        raise TournamentError(
            Phrase(
                "Choose two players from different matches in the last round of %(name)s.",
                name=term(stage.name),
            )
        )
    if any(state.entries[entry].has_left for entry in pair):
        raise TournamentError(Phrase("Withdrawn players cannot be paired. Reinstate them first."))
    other = {event.first: event.second, event.second: event.first}
    after = state
    for number in places:
        match = state.matches[number]
        if not match.is_bye and (match.result is not None or match.reports):
            players = describe_match(state, number)
            raise TournamentError(
                Phrase(
                    "%(players)s has a result. Undo it before you swap players.", players=players
                )
            )
        first, *second = (other.get(entry, entry) for entry in match.entries)
        after = _replace_match(after, number, first=first, second=second[0] if second else None)
    is_planned = stage.kind is StageKind.ROUND_ROBIN
    return _leave_plan(after, event.stage) if is_planned else after


def check_round_finished(state: TournamentState, number: int) -> None:
    """Raise ``TournamentError`` if a stage is over, or a result of its last round is missing."""
    stage = state.stage_at(number)
    missing = next(
        (k for k in state.open_matches if state.matches[k].stage == number),
        None,
    )
    if missing is not None:
        raise TournamentError(
            Phrase(
                "The result of %(match)s is missing. Enter the result or a walkover.",
                match=describe_match(state, missing),
            )
        )
    if state.is_stage_over(number):
        raise TournamentError(
            Phrase("%(name)s is over. All rounds have been played.", name=term(stage.name))
        )


def describe_match(state: TournamentState, number: int) -> str:
    """A match, named by its players."""
    match = state.matches[number]
    return join(Phrase(" against "), (state.entries[entry].name for entry in match.entries))


def _begin_round(state: TournamentState, event: RoundBegun) -> TournamentState:
    if not state.open_matches:
        raise TournamentError(Phrase("No match is waiting. Pair a round first."))
    return replace(state, rounds_begun=state.rounds_begun + 1, minutes=event.minutes)


def _assign_board(state: TournamentState, event: BoardAssigned) -> TournamentState:
    match = state.match_at(event.match)
    _check_board(state, event.board)
    if match.result is not None:
        raise TournamentError(Phrase("This match is over and does not need a board."))
    other = next((k for k in state.open_matches if state.matches[k].board == event.board), None)
    if other is not None and other != event.match:
        raise TournamentError(
            Phrase(
                "%(match)s is already being played at %(board)s.",
                match=describe_match(state, other),
                board=state.setup.boards[event.board],
            )
        )
    return _replace_match(state, event.match, board=event.board)


def _swap_boards(state: TournamentState, event: BoardsSwapped) -> TournamentState:
    first, second = state.match_at(event.first), state.match_at(event.second)
    if first.result is not None or second.result is not None:
        raise TournamentError(Phrase("This match is over and does not need a board."))
    after = _replace_match(state, event.first, board=second.board)
    return _replace_match(after, event.second, board=first.board)


def _report_result(state: TournamentState, event: ResultReported) -> TournamentState:
    match = state.match_at(event.match)
    _check_score(state, match, event)
    if event.by is Reporter.ORGANISER:
        return _settle_match(state, event)
    if match.result is not None:
        raise TournamentError(
            Phrase("This result is already final. Only the organiser can correct it.")
        )
    reports = (*(report for report in match.reports if report.by is not event.by), event)
    said = {(report.points, report.twenties) for report in reports}
    if len(reports) == 2 and len(said) == 1:
        return _settle_match(state, event)
    return _replace_match(state, event.match, reports=reports, is_refused=False)


def _refuse_report(state: TournamentState, event: ReportRefused) -> TournamentState:
    match = state.match_at(event.match)
    if match.result is not None or not any(report.by is not event.by for report in match.reports):
        raise TournamentError(Phrase("The other side has not reported a result."))
    return _replace_match(state, event.match, is_refused=True)


def _check_score(state: TournamentState, match: TournamentMatch, event: ResultReported) -> None:
    if match.is_bye:
        raise TournamentError(Phrase("A bye has no result."))
    plan, (first, second) = state.plan, event.points
    if max(event.twenties) > _MOST_TWENTIES:
        raise TournamentError(
            Phrase("%(twenties)s is too many 20s for one match.", twenties=max(event.twenties))
        )
    if plan.points is not None:
        if (first >= plan.points) == (second >= plan.points):
            raise TournamentError(
                Phrase("Exactly one side must reach %(points)s points.", points=plan.points)
            )
    elif plan.rounds is not None and first + second != 2 * plan.rounds:
        given = first + second
        if plan.rounds == 1:
            raise TournamentError(
                Phrase("A round has 2 match points in total, not %(given)s.", given=given)
            )
        raise TournamentError(
            Phrase(
                "%(rounds)s rounds have %(total)s match points in total, not %(given)s.",
                rounds=plan.rounds,
                total=2 * plan.rounds,
                given=given,
            )
        )
    if state.stages[match.stage].kind.is_knockout and first == second:
        raise TournamentError(Phrase("A knock-out match needs a winner. Play a shoot-out for 20s."))


def _settle_match(state: TournamentState, event: ResultReported) -> TournamentState:
    result = MatchResult(points=event.points, twenties=event.twenties)
    return _replace_result(state, event.match, result)


def _give_walkover(state: TournamentState, event: WalkoverGiven) -> TournamentState:
    match = state.match_at(event.match)
    if match.is_bye or event.winner not in match.entries:
        raise TournamentError(Phrase("The winner of a walkover must be one of the two players."))
    return _replace_result(state, event.match, _walkover(state, match, event.winner))


def _walkover(state: TournamentState, match: TournamentMatch, winner: int) -> MatchResult:
    points = (state.bye_points, 0) if winner == match.first else (0, state.bye_points)
    return MatchResult(points=points, is_walkover=True)


def _replace_result(state: TournamentState, number: int, result: MatchResult) -> TournamentState:
    """The state with a new result for a match; in a knock-out that has continued, the same entries
    stay in.
    """
    match = state.matches[number]
    after = _replace_match(state, number, result=result, reports=(), is_refused=False)
    stage = state.stages[match.stage]
    has_gone_on = stage.kind.is_knockout and match.round < stage.paired - 1
    if has_gone_on and after.matches[number].winner != match.winner:
        raise TournamentError(
            Phrase(
                "The winner has already been paired again in %(name)s. Undo that pairing first.",
                name=term(stage.name),
            )
        )
    return after


def _play_shootout(state: TournamentState, event: TieBreakPlayed) -> TournamentState:
    stage = state.stage_at(event.stage)
    if not set(event.entries) <= set(stage.entries) or len(event.twenties) != len(event.entries):
        raise TournamentError(Phrase("Enter the 20s of every player in the shoot-out."))
    return replace(state, shootouts=(*state.shootouts, event))


def _refuse_second_start(_state: TournamentState, _event: TournamentStarted) -> TournamentState:
    raise TournamentError(
        Phrase(
            "The tournament has started, so its setup cannot be changed. "
            "Create a new tournament instead."
        )
    )


def _check_entries(state: TournamentState, numbers: Iterable[int]) -> None:
    for number in numbers:
        if number not in range(len(state.entries)):
            raise TournamentError(
                Phrase("There is no player or pair %(number)s.", number=number + 1)
            )


def _check_board(state: TournamentState, board: int | None) -> None:
    if board is not None and board not in range(len(state.setup.boards)):
        raise TournamentError(Phrase("There is no board %(board)s.", board=board + 1))


def _replace_entry(state: TournamentState, number: int, **changes: Any) -> TournamentState:
    entries = tuple(
        replace(entry, **changes) if k == number else entry for k, entry in enumerate(state.entries)
    )
    return replace(state, entries=entries)


def _replace_stage(state: TournamentState, number: int, stage: Stage) -> TournamentState:
    stages = tuple(stage if k == number else other for k, other in enumerate(state.stages))
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
    EntryReturned: _return_entry,
    EntryRenamed: _rename_entry,
    RoundSatOut: _sit_out,
    StageStarted: _start_stage,
    CriteriaChanged: _change_criteria,
    EntriesSwapped: _swap_entries,
    RoundPaired: _pair_round,
    RoundBegun: _begin_round,
    BoardAssigned: _assign_board,
    BoardsSwapped: _swap_boards,
    ResultReported: _report_result,
    ReportRefused: _refuse_report,
    WalkoverGiven: _give_walkover,
    TieBreakPlayed: _play_shootout,
}
