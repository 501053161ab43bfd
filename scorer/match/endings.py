"""The end of rounds, games and matches: the state after a scored round or a shoot-out, and the
winners.
"""

from __future__ import annotations

from dataclasses import replace

from calibration.phrase import Phrase
from scorer.match.events import DiscInZone, MatchError, RoundScored, ShootoutPlayed
from scorer.match.scoring import Amounts, check_round, evaluate_standing, round_value
from scorer.match.state import (
    GameResult,
    MatchState,
    RoundResult,
    ShootoutResult,
    check_round_in_play,
    new_round,
)
from scorer.match.turns import next_starter, sides_of
from scorer.zone_values import COUNTED_ZONES, TWENTY

#: The ruling on questions that a person's count answers.
SCORED = Phrase("The round was already scored by hand.")
#: The reason why a round gets no score if a person only counted its shots.
BOARD_UNKNOWN = Phrase(
    "The camera did not see where the discs stopped. Count the discs on the board "
    "to enter the round."
)


def score_round(state: MatchState, event: RoundScored) -> MatchState:
    """The state after a round, and after its game and its match if they end with it.

    Points that a person counted, or that a photo shows, can be entered at any time. They settle the
    camera's questions, but wait until people's disputes are settled. Raises ``MatchError`` for
    another score while a dispute is open or discs are still to be shot, and for a score that the
    discs cannot make.
    """
    check_round_in_play(state)
    is_counted = event.points is not None and event.sighting is None and not event.waits
    state = settle_questions(state) if is_counted else state
    unsettled = state.find_open_dispute(len(state.rounds) + 1)
    if unsettled is not None and not (event.waits or is_counted):
        raise MatchError(
            Phrase(
                "Dispute %(unsettled)s is still open. Settle it before you score the round.",
                unsettled=unsettled,
            )
        )
    cut_after = 0 if is_counted else _check_no_shot_is_left(state, event)
    points, twenties = _count_points(state, event)
    setup = state.setup
    check_round(points, twenties, setup.discs, setup.sides)
    result = RoundResult(
        points=points,
        twenties=twenties,
        value=(0,) * len(setup.sides),
        starter=state.round.starter,
        source=event.source,
        board=event.board or state.round.board,
        is_open=True,
        is_seen=state.round.seen_shots > 0,
        cut_after=cut_after,
    )
    starter = next_starter(setup.format, setup.options, state.round.starter)
    after = replace(
        state,
        rounds=(*state.rounds, result),
        round=new_round(setup, starter),
    )
    return after if unsettled is not None else close_round(after, len(after.rounds))


def settle_questions(state: MatchState, *, of_people: bool = False) -> MatchState:
    """The state without open questions of the camera, or about missed shots, in the current round.
    People's disputes stay open, unless ``of_people`` is set.
    """
    number = len(state.rounds) + 1
    disputes = tuple(
        replace(dispute, decision=SCORED)
        if dispute.is_open
        and dispute.round == number
        and (of_people or dispute.missed or dispute.by_camera)
        else dispute
        for dispute in state.disputes
    )
    return replace(state, disputes=disputes)


def _check_no_shot_is_left(state: MatchState, event: RoundScored) -> int:
    """Check that no shot is left; returns the number of discs per side after which a recording
    ended the round, if all sides have shot equally many, otherwise 0.

    Raises ``MatchError`` if discs are still to be shot and nobody has said that the round is over.
    """
    play, seen = state.round, event.sighting
    if not play.shot_count or state.turn is None or (seen is not None and seen.is_over):
        return 0
    by_side = {sum(play.shots[player] for player in side) for side in sides_of(state.setup.format)}
    if seen is None or not seen.is_film_over or len(by_side) > 1:
        left = play.last_shot - play.shot_count
        raise MatchError(Phrase("The round is not over. Discs left to shoot: %(left)s.", left=left))
    return by_side.pop()


def close_round(state: MatchState, number: int) -> MatchState:
    """The state once no question about a round is open: the round counts, and its game may end."""
    setup, result = state.setup, state.rounds[number - 1]
    closed = replace(result, value=round_value(result.points, setup.options), is_open=False)
    after = replace(
        _replace_round(state, number, closed),
        totals=tuple(a + b for a, b in zip(state.totals, closed.value, strict=True)),
    )
    if after.has_open_round:
        return after
    game_standing = evaluate_standing(
        [round_result.value for round_result in after.rounds[after.game_start :]], setup.options
    )
    if game_standing.shootout:
        return replace(after, shootout=game_standing.shootout)
    return _end_game(after, game_standing.winners) if game_standing.winners else after


def change_open_round(
    state: MatchState,
    number: int,
    points: Amounts,
    twenties: Amounts,
    board: tuple[DiscInZone, ...],
) -> MatchState:
    """The state with another score of a round that waits for an answer. Raises ``MatchError``."""
    setup, result = state.setup, state.rounds[number - 1]
    check_round(points, twenties, setup.discs, setup.sides)
    changed = replace(result, points=points, twenties=twenties, board=board)
    return _replace_round(state, number, changed)


def _replace_round(state: MatchState, number: int, result: RoundResult) -> MatchState:
    return replace(state, rounds=(*state.rounds[: number - 1], result, *state.rounds[number:]))


def _count_points(state: MatchState, event: RoundScored) -> tuple[Amounts, Amounts]:
    """Points and 20s as entered, or from the board and the 20s of the round's shots."""
    count = len(state.setup.sides)
    if event.points is not None:
        twenties = event.twenties or (0,) * count
        _check_counts(event, twenties)
        return event.points, twenties
    if not state.round.shot_count and not state.round.is_timed_out:
        raise MatchError(Phrase("No shots are recorded for this round. Enter each side's points."))
    if not state.round.is_board_known:
        raise MatchError(BOARD_UNKNOWN)
    twenties = state.round.twenties
    points = tuple(
        TWENTY * twenties[side] + sum(disc.zone for disc in state.round.board if disc.side == side)
        for side in range(count)
    )
    return points, twenties


def _check_counts(event: RoundScored, twenties: Amounts) -> None:
    """Raise ``MatchError`` if the discs that a person counted do not make the score."""
    if not event.counts:
        return
    is_whole = all(len(side) == len(COUNTED_ZONES) and min(side) >= 0 for side in event.counts)
    points = tuple(
        sum(zone * number for zone, number in zip(COUNTED_ZONES, side, strict=False))
        for side in event.counts
    )
    in_hole = tuple(side[0] for side in event.counts if side)
    if not is_whole or points != event.points or in_hole != twenties:
        raise MatchError(
            Phrase("The counted discs do not add up to these points. Count them again.")
        )


def play_shootout(state: MatchState, event: ShootoutPlayed) -> MatchState:
    """The state after a tie-break, which may again be tied. Raises ``MatchError``."""
    if not state.shootout:
        raise MatchError(Phrase("The game has not ended in a tie, so there is no shoot-out."))
    setup = state.setup
    if len(event.twenties) != len(setup.sides) or min(event.twenties) < 0:
        raise MatchError(
            Phrase(
                "Enter the shoot-out 20s for each side: %(sides)s.", sides=", ".join(setup.sides)
            )
        )
    most = setup.options.shootout_shots
    for side, made in enumerate(event.twenties):
        if made > (most if side in state.shootout else 0):
            raise MatchError(
                Phrase(
                    "%(side)s: %(made)s is too many 20s for this shoot-out.",
                    side=setup.sides[side],
                    made=made,
                )
            )
    best = max(event.twenties[side] for side in state.shootout)
    tied = tuple(side for side in state.shootout if event.twenties[side] == best)
    played = ShootoutResult(after_round=len(state.rounds), twenties=event.twenties)
    after = replace(state, shootouts=(*state.shootouts, played))
    if len(tied) > 1:
        return replace(after, shootout=tied)
    return _end_game(replace(after, shootout=()), tied)


def _end_game(state: MatchState, winners: tuple[int, ...]) -> MatchState:
    """The state after a game: the match's winners, or a fresh game."""
    games = (*state.games, GameResult(winners=winners, totals=state.totals))
    wins = [sum(side in game.winners for game in games) for side in range(len(state.totals))]
    ended = replace(state, games=games)
    if 2 * max(wins) > state.setup.games or len(games) >= state.setup.games:
        best = tuple(side for side, win in enumerate(wins) if win == max(wins))
        return replace(ended, winners=best)
    return replace(ended, game_start=len(state.rounds), totals=(0,) * len(state.totals))
