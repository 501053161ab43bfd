"""A match as the fold of its events: the same log always gives the same state.

Nothing is ever removed from a log, because undoing and correcting are events too (event sourcing).
Every kind of event has one function that returns the state after it, or raises ``MatchError`` with
one sentence.

If the sides' colours or a round's starter are corrected, the camera's earlier observations are read
again (``reread_after_correction``). Its entries are made again from them, and people's entries stay
if they fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from calibration.phrase import Phrase
from scorer.match.board import (
    add_twenties,
    change_disc,
    replace_board,
    replace_twenties,
    skip_shots,
)
from scorer.match.colours import (
    check_colours,
    check_known_colours,
    find_sides,
    learn_colours,
)
from scorer.match.disputes import open_dispute, settle_dispute
from scorer.match.endings import play_shootout, score_round
from scorer.match.events import (
    BoardCorrected,
    CameraSaw,
    ColoursChosen,
    DiscCorrected,
    Disputed,
    Event,
    FoulCalled,
    MatchError,
    MatchMoved,
    MatchStarted,
    RoundCorrected,
    RoundScored,
    RoundStarted,
    Ruled,
    ShootoutPlayed,
    ShotPlayed,
    StarterChosen,
    StarterCorrected,
    StarterSeen,
    TeamsNamed,
    TimeRanOut,
    TwentyCounted,
)
from scorer.match.reread_after_correction import (
    SIGHTED,
    as_seen,
    fit_anew,
    map_ruling,
    plan_reading,
)
from scorer.match.sighting import Sighting, SightingKind
from scorer.match.sighting_entries import make_entries, read_discs
from scorer.match.state import (
    DisputeState,
    LeftOutEntry,
    MatchSetup,
    MatchState,
    check_round_in_play,
    describe_full_round,
    new_round,
)
from scorer.match.turns import (
    check_players,
    may_start,
    round_up_to_equal_turns,
    sides_of,
    starter_after,
)
from scorer.match.undo import find_events_in_force
from scorer.rules.choices import Format, NextStarter, Reshoot, TimeOut
from scorer.rules.fault_codes import FaultCode
from scorer.rules.options import RulesError
from scorer.rules.sets import rule_set

#: More players than the largest championships have.
MAX_BOARDS = 128
#: A round takes about 10 minutes; a much larger number is a typing error.
_MOST_MINUTES = 240
#: The verdict of an invalid shot.
_FOUL = "foul"


def fold(log: Sequence[Event]) -> MatchState:
    """The state after a log. Raises ``MatchError`` for the first impossible event."""
    *_, last = replay_log(log)
    return last.state


class Played(NamedTuple):
    """An event in force with the state after it.

    place  index in the log of the event itself, or of the event from which it follows
    """

    place: int
    event: Event
    state: MatchState


def replay_log(log: Sequence[Event]) -> Iterator[Played]:
    """All events in force, corrected, with the states after them.

    A camera's observations are replaced by the entries that follow from them.
    """
    places = find_events_in_force(log)
    first = log[places[0]] if places else None
    if not isinstance(first, MatchStarted):
        raise MatchError(Phrase("Set up the match first."))
    reading = plan_reading(log, places, _list_rulings)
    state = reading.prepare(_start_match(first), None)
    yield Played(place=places[0], event=first, state=state)
    corrections = _collect_corrections([log[place] for place in places])
    for place in places[1:]:
        is_anew = reading.is_anew(place, state)
        event: Event | None = log[place]
        assert event is not None
        event = as_seen(event) if is_anew else event
        if isinstance(event, Ruled) and is_anew:
            event = map_ruling(event, reading.rulings.get(place), state)
        if event is None:
            continue
        if isinstance(event, RoundScored) and reading.is_overruled(place, state):
            event = replace(event, colours=())
        for applied, after in _apply(state, event, corrections, is_anew=is_anew):
            state = reading.prepare(after, state)
            if not isinstance(applied, RoundCorrected):
                yield Played(place=place, event=applied, state=state)


def _list_rulings(log: Sequence[Event]) -> dict[int, DisputeState]:
    """The subjects of a log's rulings, by the rulings' places."""
    about: dict[int, DisputeState] = {}
    before: MatchState | None = None
    for played in replay_log(log):
        if isinstance(played.event, Ruled) and before is not None:
            about[played.place] = before.disputes[played.event.dispute - 1]
        before = played.state
    return about


def _apply(
    state: MatchState, event: Event, corrections: Mapping[int, RoundCorrected], *, is_anew: bool
) -> Iterator[tuple[Event, MatchState]]:
    """The event, or the entries that follow from it, with the states after them. Raises
    ``MatchError``.
    """
    if isinstance(event, CameraSaw):
        yield from _enter_sighting(state, event, corrections)
        return
    try:
        yield _handle(state, event, corrections)
    except MatchError:
        if not is_anew:
            raise
        fitted, its_state = fit_anew(event, state)
        try:
            yield _handle(its_state, fitted, corrections)
        except MatchError as error:
            yield event, _leave_out(state, event, error)


def _handle(
    state: MatchState, event: Event, corrections: Mapping[int, RoundCorrected]
) -> tuple[Event, MatchState]:
    """An event with later corrections, and the state after it. Raises ``MatchError``."""
    if isinstance(event, RoundScored):
        event = _correct_round(event, corrections.get(len(state.rounds) + 1))
    after = _EVENT_HANDLERS[type(event)](state, event)
    if isinstance(event, SIGHTED) and event.sighting is not None:
        after = _note_sighting(after, event.sighting)
    return event, after


def _leave_out(state: MatchState, event: Event, error: MatchError) -> MatchState:
    left_out = LeftOutEntry(event=event, reason=str(error))
    return replace(state, left_out=(*state.left_out, left_out))


def _enter_sighting(
    state: MatchState, event: CameraSaw, corrections: Mapping[int, RoundCorrected]
) -> list[tuple[Event, MatchState]]:
    """The entries that follow from a sighting, with the states after them; otherwise the note that
    it waits or is left out.

    Raises ``MatchError`` if its round was corrected to an impossible score.
    """
    if state.is_over:
        return [(event, state)]
    try:
        entries = make_entries(state, event.sighting)
        if entries is None:
            waiting = replace(state, waiting=(*state.waiting, event.sighting))
            return [(event, _count_seen(waiting, event.sighting))]
        entered: list[tuple[Event, MatchState]] = [(event, state)]
        for entry in entries:
            entered.append(_handle(entered[-1][1], entry, {}))
    except MatchError as error:
        left_out = _count_seen(_leave_out(state, event, error), event.sighting)
        if event.sighting.what is SightingKind.ROUND:
            left_out = replace(left_out, round=replace(left_out.round, ended=event.sighting))
        return [(event, left_out)]
    if len(entered) == 1:
        return [(event, replace(state, is_scored_ahead=False))]
    if isinstance(entered[-1][0], RoundScored):
        entered[-1] = _handle(entered[-2][1], entered[-1][0], corrections)
    return entered[1:]


def _note_sighting(state: MatchState, sighting: Sighting) -> MatchState:
    """The state with the facts of a sighting that its entries do not contain."""
    sides = find_sides(state.setup, sighting)
    if sides is None:
        return state
    setup = replace(state.setup, colours=learn_colours(state.setup, sides))
    play = state.round
    if sighting.what is SightingKind.SHOT:
        play = replace(play, seen=read_discs(sighting.after, sides))
    elif sighting.what is SightingKind.TWENTY:
        side, counted = sides[sighting.colour], play.seen_twenties or (0,) * len(setup.sides)
        more = tuple(count + (k == side) for k, count in enumerate(counted))
        play = replace(play, seen_twenties=more)
    return _count_seen(replace(state, setup=setup, round=play), sighting)


def _count_seen(state: MatchState, sighting: Sighting) -> MatchState:
    """The state with one more shot seen by a camera, if the sighting is a shot."""
    if sighting.what is not SightingKind.SHOT:
        return state
    is_ahead = state.is_scored_ahead and sighting.number > 1
    play = replace(state.round, seen_shots=state.round.seen_shots + 1, ended=None)
    return replace(state, round=play, is_scored_ahead=is_ahead)


def enter_sighting(log: Sequence[Event], sighting: Sighting) -> Sequence[Event]:
    """The events to enter for a camera's observation; none once the match is over.

    An observation that waits, or does not fit, is also entered, because it may fit once colours are
    corrected.
    """
    state = fold(log)
    if state.is_over:
        return ()
    seen = CameraSaw(sighting=sighting)
    try:
        entries = make_entries(state, sighting)
        for entry in entries or ():
            _, state = _handle(state, entry, {})
    except MatchError:
        return (replace(seen, is_left_out=True),)
    return (seen,) if entries is None else tuple(entries)


def enter_event(log: Sequence[Event], event: Event) -> MatchState:
    """The state after entering one more event. Raises ``MatchError`` if it is impossible.

    Only new events are checked against today's rules, so older logs can still be folded.
    """
    state = fold((*log, event))
    if isinstance(event, FoulCalled):
        _check_called_foul(state, event)
    elif isinstance(event, StarterChosen | StarterCorrected):
        _check_may_start(state.setup, event.player)
    elif isinstance(event, ShotPlayed):
        before = fold(log)
        if state.round.shot_count <= 1:
            _check_turn(before, event.player)
        if event.reshoot:
            _check_reshoot_is_due(before, event)
    elif isinstance(event, MatchMoved):
        _check_move(fold(log), event)
    elif isinstance(event, RoundScored) and event.sighting is None:
        _check_nothing_waits(fold(log))
    return state


def _check_nothing_waits(state: MatchState) -> None:
    """Raise ``MatchError`` if a camera saw the whole round, and only colours are missing."""
    if any(sighting.what is SightingKind.ROUND for sighting in state.waiting):
        raise MatchError(
            Phrase("The camera saw the whole round. To score it, choose who plays which colour.")
        )


def _collect_corrections(events: Sequence[Event]) -> dict[int, RoundCorrected]:
    """Corrected rounds, by their numbers from 1."""
    corrections: dict[int, RoundCorrected] = {}
    for event in events:
        if isinstance(event, RoundCorrected):
            old = corrections.get(event.round, event)
            corrections[event.round] = replace(
                event,
                corrections=event.corrections or old.corrections,
                colours=event.colours or old.colours,
            )
    return corrections


def _correct_round(event: RoundScored, correction: RoundCorrected | None) -> RoundScored:
    if correction is None:
        return event
    return replace(
        event,
        points=correction.points,
        twenties=correction.twenties,
        source=correction.source,
        corrections=correction.corrections or event.corrections,
        colours=correction.colours or event.colours,
        board=correction.board or event.board,
        counts=(),
    )


def _check_correction(state: MatchState, event: RoundCorrected) -> MatchState:
    """The state after a correction of a scored round. Raises ``MatchError`` if there is no such
    round.
    """
    if not 1 <= event.round <= len(state.rounds):
        raise MatchError(Phrase("There is no round %(round)s to correct.", round=event.round))
    return state


def _start_match(event: MatchStarted) -> MatchState:
    try:
        rules = rule_set(event.rules, dict(event.options))
    except RulesError as error:
        raise MatchError(str(error)) from None
    check_players(event.format, rules.options, event.players)
    if event.games < 1 or event.games % 2 == 0:
        raise MatchError(
            Phrase(
                "A match cannot be best of %(games)s games. Enter an odd number.", games=event.games
            )
        )
    _check_board_number(event.at_board)
    if len(event.tournament) not in (0, 2) or min(event.tournament, default=0) < 0:
        raise MatchError(
            Phrase("A tournament match needs both its tournament number and its match number.")
        )
    setup = MatchSetup(
        rules=rules,
        format=event.format,
        players=event.players,
        games=event.games,
        colours=event.colours if any(event.colours) else (),
        at_board=event.at_board,
        tournament=event.tournament,
    )
    _check_player(setup, event.starter)
    setup = _name_teams(setup, event.teams)
    if event.colours:
        check_known_colours(setup.sides, event.colours)
    return MatchState(
        setup=setup,
        round=new_round(setup, starter_after(setup.format, setup.options, event.starter)),
        totals=(0,) * len(setup.sides),
    )


def _check_player(setup: MatchSetup, player: int) -> None:
    if player not in range(len(setup.players)):
        raise MatchError(
            Phrase("There is no player %(player)s. Players are numbered from 0.", player=player)
        )


def _choose_starter(state: MatchState, event: StarterChosen) -> MatchState:
    check_round_in_play(state)
    _check_player(state.setup, event.player)
    _check_starter_is_open(state)
    starter = starter_after(state.setup.format, state.setup.options, event.player)
    return replace(state, round=replace(state.round, starter=starter))


def _check_may_start(setup: MatchSetup, player: int) -> None:
    if not may_start(setup.format, setup.options, player):
        names = setup.players
        raise MatchError(
            Phrase(
                "%(player)s plays alone and shoots after each opponent, so "
                "%(opponent)s or %(other_opponent)s must start.",
                player=names[player],
                opponent=names[1],
                other_opponent=names[2],
            )
        )


def _see_starter(state: MatchState, event: StarterSeen) -> MatchState:
    check_round_in_play(state)
    _check_player(state.setup, event.player)
    if state.round.shot_count:
        raise MatchError(Phrase("The round has already started, so you cannot change who starts."))
    play = state.round
    seen = replace(play, starter=event.player, expected=play.starter)
    return replace(state, round=seen)


def _correct_starter(state: MatchState, event: StarterCorrected) -> MatchState:
    """The state after the rounds were read with the given starter. Raises ``MatchError``."""
    _check_player(state.setup, event.player)
    _check_round_number(state, event.round)
    return state


def _choose_colours(state: MatchState, event: ColoursChosen) -> MatchState:
    """The state after the rounds were read again with the given colours. Raises ``MatchError``."""
    check_known_colours(state.setup.sides, event.colours)
    _check_round_number(state, event.round)
    return state


def _check_round_number(state: MatchState, number: int) -> None:
    if not 1 <= number <= len(state.rounds) + 1:
        raise MatchError(
            Phrase(
                "Round %(number)s has not been played yet. Choose an earlier round.", number=number
            )
        )


def _name_teams(setup: MatchSetup, teams: tuple[str, ...]) -> MatchSetup:
    """The setup with the given names of the pairs. Raises ``MatchError`` if they are not
    possible.
    """
    if not any(teams):
        return replace(setup, teams=())
    if setup.format is not Format.TEAMS or len(teams) != len(setup.sides):
        raise MatchError(Phrase("Only the two pairs in doubles can have team names."))
    named = replace(setup, teams=tuple(" ".join(name.split()) for name in teams))
    if len({name.casefold() for name in named.sides}) != len(teams):
        raise MatchError(Phrase("Each team needs a different name."))
    return named


def _check_starter_is_open(state: MatchState) -> None:
    if state.round.shot_count or state.round.seen_shots or state.round.is_starter_set:
        raise MatchError(Phrase("The round has already started, so you cannot change who starts."))
    game_rounds = state.rounds[state.game_start :]
    if game_rounds:
        if state.setup.options.next_starter is not NextStarter.LOSER_DECIDES:
            raise MatchError(
                Phrase(
                    "These rules decide who starts. To choose the starter yourself, "
                    "use the option next_starter=loser-decides."
                )
            )
        if len(set(game_rounds[-1].points)) == 1:
            raise MatchError(
                Phrase("The last round was a tie, so the next player clockwise starts.")
            )


def may_choose_starter(state: MatchState) -> bool:
    """Whether the starter of the current round may now be chosen."""
    if state.is_over or state.shootout:
        return False
    try:
        _check_starter_is_open(state)
    except MatchError:
        return False
    return True


def _start_round(state: MatchState, event: RoundStarted) -> MatchState:
    check_round_in_play(state)
    if state.round.has_started:
        raise MatchError(
            Phrase("The round has already started. Undo “Round started” to start it again.")
        )
    if event.minutes is not None and not 1 <= event.minutes <= _MOST_MINUTES:
        raise MatchError(Phrase("Enter 1 to %(most)s minutes, or no limit.", most=_MOST_MINUTES))
    return replace(state, round=replace(state.round, has_started=True, minutes=event.minutes))


def _play_shot(state: MatchState, event: ShotPlayed) -> MatchState:
    check_round_in_play(state)
    _check_player(state.setup, event.player)
    if state.turn is None:
        raise MatchError(describe_full_round(state))
    if _determines_starter(state):
        state = replace(state, round=replace(state.round, starter=event.player))
    _check_turn(state, event.player)
    play = state.round
    counts = play.reshoots if event.reshoot else play.shots
    raised = tuple(count + (k == event.player) for k, count in enumerate(counts))
    if event.reshoot:
        _check_reshoot(state, raised[event.player])
        return replace(state, round=replace(play, reshoots=raised))
    play = replace(play, is_board_known=not event.is_unseen)
    after = replace(
        play, shots=raised, twenties=add_twenties(play.twenties, event.twenties, state.setup)
    )
    return replace(state, round=replace_board(state.setup, after, event.board))


def _determines_starter(state: MatchState) -> bool:
    """Whether the next shot shows who starts. In old logs, a lone player might start who under
    today's rules shoots after each opponent, so any of the three may have started.
    """
    setup = state.setup
    may_all = all(may_start(setup.format, setup.options, k) for k in range(len(setup.players)))
    return not may_all and not state.round.shot_count


def _check_turn(state: MatchState, player: int) -> None:
    if state.turn is not None and player != state.turn:
        names = state.setup.players
        raise MatchError(
            Phrase(
                "It is %(player)s's turn, not %(other)s's.",
                player=names[state.turn],
                other=names[player],
            )
        )


def _check_reshoot(state: MatchState, count: int) -> None:
    limit = state.setup.options.reshoot_limit
    if count > limit:
        raise MatchError(
            Phrase("No re-shoots left: these rules allow %(limit)s per round.", limit=limit)
        )


def _check_reshoot_is_due(before: MatchState, event: ShotPlayed) -> None:
    """Raise ``MatchError`` for a re-shoot that these rules do not allow."""
    if event.verdict != _FOUL:
        raise MatchError(Phrase("Only an invalid shot can be repeated."))
    if before.setup.options.reshoot is not Reshoot.MET_NO_DISC:
        return
    if FaultCode.OPEN_BOARD in event.faults or not before.round.shot_count:
        raise MatchError(Phrase("These rules do not allow a free shot to be repeated."))
    if FaultCode.NO_CONTACT not in event.faults:
        raise MatchError(
            Phrase(
                "Under these rules, a shot can be repeated only if it touched no "
                "disc. Enter no_contact as its fault."
            )
        )


def _count_twenty(state: MatchState, event: TwentyCounted) -> MatchState:
    check_round_in_play(state)
    setup, play = state.setup, state.round
    if event.side not in range(len(setup.sides)) or abs(event.change) != 1:
        raise MatchError(Phrase("Add or remove one 20 at a time, for one side."))
    twenties = tuple(
        twenty + event.change * (side == event.side) for side, twenty in enumerate(play.twenties)
    )
    return replace(state, round=replace_twenties(setup, play, twenties))


def _call_foul(state: MatchState, event: FoulCalled) -> MatchState:
    _check_player(state.setup, event.player)
    board = {disc.id for disc in state.round.board}
    missing = next((name for name in event.removed if name not in board), None)
    if missing is not None:
        raise MatchError(
            Phrase(
                "Disc %(missing)s cannot be removed, because it is not on the board.",
                missing=missing,
            )
        )
    kept = tuple(disc for disc in state.round.board if disc.id not in event.removed)
    return replace(state, round=replace(state.round, board=kept), fouls=(*state.fouls, event))


def _check_called_foul(state: MatchState, event: FoulCalled) -> None:
    known = state.setup.options.fouls_to_call
    if event.foul not in known:
        listed = ", ".join(known)
        raise MatchError(
            Phrase(
                "%(foul)s is not a foul in these rules. Choose from %(listed)s, or "
                "allow others with the option called_fouls.",
                foul=event.foul,
                listed=listed,
            )
        )


def _correct_disc(state: MatchState, event: DiscCorrected) -> MatchState:
    if event.zone is None and event.side is None:
        raise MatchError(
            Phrase(
                "Choose what to correct for disc %(disc)s: its zone or its side.", disc=event.disc
            )
        )
    board = change_disc(state.round.board, event.disc, event.zone, event.side)
    return replace(state, round=replace_board(state.setup, state.round, board))


def _correct_board(state: MatchState, event: BoardCorrected) -> MatchState:
    check_round_in_play(state)
    setup, play = state.setup, state.round
    left = play.last_shot - play.shot_count
    if not 0 <= event.missed <= left:
        raise MatchError(
            Phrase(
                "Too many missed shots: you entered %(missed)s, but only %(left)s "
                "can still be played.",
                missed=event.missed,
                left=left,
            )
        )
    skipped = skip_shots(setup, play, event.missed)
    after = replace_board(setup, skipped, event.board)
    missed = [now - old for now, old in zip(skipped.shots, play.shots, strict=True)]
    sides = sides_of(setup.format)
    return open_dispute(
        replace(state, round=after),
        Disputed(about=event.about, shot=event.shot, by_camera=event.by_camera),
        missed=event.missed,
        missed_by=tuple(sum(missed[player] for player in side) for side in sides),
        is_first=not play.shot_count,
    )


def _score_round(state: MatchState, event: RoundScored) -> MatchState:
    """``score_round``, after which the match knows the colours from a picture."""
    if event.colours:
        check_colours(state.setup.sides, event.colours)
        state = replace(state, setup=replace(state.setup, colours=event.colours))
    scored = score_round(state, event)
    if event.sighting is None and (state.round.seen_shots or state.waiting):
        return replace(scored, waiting=(), is_scored_ahead=True)
    return scored


def _run_out_of_time(state: MatchState, _event: TimeRanOut) -> MatchState:
    check_round_in_play(state)
    if state.setup.options.time_out is TimeOut.NO_RULE:
        raise MatchError(
            Phrase("These rules have no clock. Choose time_out=equal-turns to use one.")
        )
    if state.round.is_timed_out:
        raise MatchError(Phrase("Time is already up for this round."))
    last = round_up_to_equal_turns(state.setup.format, state.round.shot_count)
    play = replace(state.round, last_shot=min(last, state.round.last_shot), is_timed_out=True)
    return replace(state, round=play)


def _refuse_second_start(_state: MatchState, _event: MatchStarted) -> MatchState:
    raise MatchError(
        Phrase("The match has started, so its setup cannot be changed. Create a new match instead.")
    )


def _move_match(state: MatchState, event: MatchMoved) -> MatchState:
    _check_board_number(event.at_board)
    return replace(state, setup=replace(state.setup, at_board=event.at_board))


def _check_move(state: MatchState, event: MatchMoved) -> None:
    if state.is_over:
        raise MatchError(Phrase("The match is over and cannot be moved."))
    if state.setup.at_board == event.at_board:
        raise MatchError(
            Phrase("The match is already at board %(at_board)s.", at_board=event.at_board)
        )


def check_board_is_free(newest: MatchState, board: int) -> None:
    """Raise ``MatchError`` if the newest match of a board is not over."""
    if not newest.is_over:
        raise MatchError(
            Phrase(
                "A match is already in progress at board %(board)s. Finish or move it first.",
                board=board,
            )
        )


def _check_board_number(number: int) -> None:
    if number not in range(1, MAX_BOARDS + 1):
        raise MatchError(
            Phrase("There is no board %(number)s. Boards are numbered from 1.", number=number)
        )


_EVENT_HANDLERS: dict[type[Any], Callable[[MatchState, Any], MatchState]] = {
    MatchStarted: _refuse_second_start,
    StarterChosen: _choose_starter,
    RoundStarted: _start_round,
    ShotPlayed: _play_shot,
    TwentyCounted: _count_twenty,
    FoulCalled: _call_foul,
    RoundScored: _score_round,
    DiscCorrected: _correct_disc,
    BoardCorrected: _correct_board,
    Disputed: open_dispute,
    Ruled: settle_dispute,
    TimeRanOut: _run_out_of_time,
    ShootoutPlayed: play_shootout,
    MatchMoved: _move_match,
    RoundCorrected: _check_correction,
    ColoursChosen: _choose_colours,
    StarterSeen: _see_starter,
    StarterCorrected: _correct_starter,
    TeamsNamed: lambda state, event: replace(state, setup=_name_teams(state.setup, event.teams)),
}
