"""Match entries that follow from a camera's sightings, by the match's colours and starter.

The board at rest is taken as correct. Missed shots become one open question, and the turn and the
discs left follow from the board. Of the possible starters, the one with the fewest missed shots
counts, so the first shooter is taken as the starter. A zone that a person corrected stays valid
while its disc rests. Nothing is guessed: a sighting that does not fit raises ``MatchError``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import dist

from calibration.phrase import Phrase, join, term
from scorer.match.colours import find_sides, find_unknown, may_ask
from scorer.match.events import (
    BoardCorrected,
    CameraSaw,
    DiscInZone,
    Disputed,
    Event,
    MatchError,
    RoundScored,
    ScoreSource,
    ShotPlayed,
    StarterSeen,
    TwentyCounted,
)
from scorer.match.missed_shots import (
    Board,
    ask_about_missed,
    count_missed_shots,
    find_shooter,
    fit_board,
)
from scorer.match.seen_shot import Place
from scorer.match.sighting import SightedDisc, Sighting, SightingKind
from scorer.match.state import MatchState, describe_full_round
from scorer.match.turns import list_starters, side_of
from scorer.rules.contact_parameters import PARAMS as CONTACT_PARAMS
from scorer.texts import MAX_REMARK_LETTERS, shorten
from scorer.zone_values import TWENTY

_NEEDS_REVIEW = "needs_review"

Sides = Mapping[str, int]


def make_entries(state: MatchState, sighting: Sighting) -> Sequence[Event] | None:
    """The entries that follow from a sighting; None if it waits for the side of a colour.

    Raises ``MatchError`` if it does not fit the match.
    """
    if sighting.what is SightingKind.ROUND and state.is_scored_ahead:
        return ()
    sides = None if state.waiting else find_sides(state.setup, sighting)
    if sides is not None:
        return _MAKERS[sighting.what](sighting, state, sides)
    if not state.waiting and not may_ask(state.setup, sighting):
        colour = find_unknown(state.setup, sighting)
        raise MatchError(
            Phrase(
                "nobody in this match plays %(colour)s. Check the disc colours.",
                colour=term(colour or ""),
            )
        )
    return None


def end_as_seen(state: MatchState) -> CameraSaw:
    """The round's end as the camera saw it, with discs still to be shot.

    Raises ``MatchError`` if no camera saw it.
    """
    if state.round.ended is None or state.turn is None:
        raise MatchError(Phrase("No camera saw the round end early. Score it by hand instead."))
    return CameraSaw(sighting=replace(state.round.ended, is_over=True))


def read_discs(discs: Sequence[SightedDisc], sides: Sides) -> Board:
    """The discs that were seen, with their sides."""
    return tuple(
        DiscInZone(
            id=disc.id,
            side=sides[disc.colour],
            zone=disc.zone,
            place_mm=disc.place_mm,
            sigma_mm=disc.sigma_mm,
        )
        for disc in discs
    )


def _make_shot(sighting: Sighting, state: MatchState, sides: Sides) -> Sequence[Event]:
    """The shot, preceded by the starter and by shots that the board shows to have been missed."""
    side = sides[sighting.colour]
    before = _correct_board(read_discs(sighting.before, sides), state)
    after = _correct_board(read_discs(sighting.after, sides), state)
    if state.turn is None:
        return (_correct_full_round(sighting, state, before, after),)
    entries: list[Event] = []
    starter = _find_starter(state, side, before, after)
    if starter != state.round.starter:
        entries.append(StarterSeen(player=starter))
        state = replace(state, round=replace(state.round, starter=starter))
    missed = count_missed_shots(state, side, before, after)
    if missed is None:
        name = state.setup.players[find_shooter(state, 0)]
        raise MatchError(
            Phrase(
                "Shot %(number)s does not fit the match, because it is %(name)s's "
                "turn. Even missed shots would not explain the discs on the board.",
                number=state.round.shot_count + 1,
                name=name,
            )
        )
    number = state.round.shot_count + missed + 1  # a restarted camera counts from 1 again
    if missed:
        entries.append(
            BoardCorrected(
                missed=missed,
                board=fit_board(state, missed, before) or (),
                about=ask_about_missed(
                    state, missed, Phrase("before shot %(number)s", number=number)
                ),
                shot=sighting.clip or None,
                by_camera=True,
            )
        )
    entries.append(
        ShotPlayed(
            player=find_shooter(state, missed),
            verdict=sighting.verdict,
            board=fit_board(state, missed + 1, after) or (),
            twenties=(0,) * len(state.setup.sides),
            faults=sighting.faults,
            seen=sighting.path,
            sighting=sighting,
        )
    )
    if sighting.verdict == _NEEDS_REVIEW:
        about = shorten(
            Phrase(
                "Shot %(number)s: %(question)s",
                number=number,
                question=sighting.question or Phrase("The referee is not sure."),
            ),
            MAX_REMARK_LETTERS,
        )
        entries.append(Disputed(about=about, shot=sighting.clip or None, by_camera=True))
    return entries


def _find_starter(state: MatchState, side: int, before: Board, after: Board) -> int:
    """The starter of the round: the expected one, unless another player explains the board with
    fewer missed shots, and no shot or starter was entered.
    """
    expected = state.round.starter
    if state.round.shot_count or state.round.is_starter_set:
        return expected
    setup = state.setup
    count = len(setup.players)
    able = [
        player
        for player in list_starters(setup.format, setup.options)
        if side_of(setup.format, player) == side
    ]
    clockwise = sorted(able, key=lambda player: (player - expected) % count)
    found: list[tuple[int, int]] = []
    for player in (expected, *clockwise):
        started = replace(state, round=replace(state.round, starter=player))
        missed = count_missed_shots(started, side, before, after)
        if missed is not None:
            found.append((missed, player))
    return min(found, key=lambda candidate: candidate[0], default=(0, expected))[1]


def _correct_board(seen: Board, state: MatchState) -> Board:
    """The discs to enter: a person's correction stays valid while its disc rests."""
    earlier = {disc.id: disc for disc in state.round.seen}
    entered = {disc.id: disc for disc in state.round.board}
    return tuple(
        _keep_correction(disc, earlier.get(disc.id), entered.get(disc.id)) for disc in seen
    )


def _keep_correction(
    current: DiscInZone, earlier: DiscInZone | None, entered: DiscInZone | None
) -> DiscInZone:
    if earlier is None or entered is None or entered == earlier:
        return current
    has_moved = dist(_place_of(current), _place_of(earlier)) > CONTACT_PARAMS.moved_mm
    kept = replace(entered, place_mm=current.place_mm, sigma_mm=current.sigma_mm)
    return current if has_moved else kept


def _place_of(disc: DiscInZone) -> Place:
    assert disc.place_mm is not None  # from a camera
    return disc.place_mm


def _correct_full_round(
    sighting: Sighting, state: MatchState, before: Board, after: Board
) -> BoardCorrected:
    """The board after a shot for which the round has no disc left. Raises ``MatchError`` if the
    shot belongs to a next round.
    """
    board = fit_board(state, 0, after)
    if board is None or not _names_of(before) & _names_of(state.round.board):
        raise MatchError(describe_full_round(state))
    came = (
        Phrase("Shot %(number)s was taken after time ran out. Score the board as it is?")
        if state.round.is_timed_out
        else Phrase(
            "Shot %(number)s came after the last disc of the round. Score the board as it is?"
        )
    )
    return BoardCorrected(
        missed=0,
        board=board,
        about=came.put(number=state.round.shot_count + 1),
        shot=sighting.clip or None,
        by_camera=True,
        sighting=sighting,
    )


def _names_of(board: Board) -> set[str]:
    return {disc.id for disc in board}


def _make_twenty(sighting: Sighting, _state: MatchState, sides: Sides) -> Sequence[Event]:
    return (TwentyCounted(side=sides[sighting.colour], sighting=sighting),)


def _make_round(sighting: Sighting, state: MatchState, sides: Sides) -> Sequence[Event]:
    """The round's score, preceded by the question about shots missed at its end."""
    entries: list[Event] = []
    left = state.round.last_shot - state.round.shot_count
    if left and state.round.shot_count and sighting.is_cleared and not sighting.is_over:
        entries.append(
            BoardCorrected(
                missed=left,
                board=state.round.board,
                about=ask_about_missed(state, left, Phrase("before the board was cleared")),
                by_camera=True,
            )
        )
    if sighting.questions:
        doubts = join("; ", sighting.questions)
        about = Phrase(
            "The round's score is not certain: %(doubts)s. Score the board as it is?", doubts=doubts
        )
        entries.append(Disputed(about=shorten(about, MAX_REMARK_LETTERS), by_camera=True))
    return (*entries, _score_round(sighting, state, sides))


def _score_round(sighting: Sighting, state: MatchState, sides: Sides) -> RoundScored:
    reported = {disc.id: disc for disc in state.round.seen}
    if state.turn is None and any(
        reported.get(entered.id, entered) != entered for entered in state.round.board
    ):
        # if a person has corrected a disc
        return RoundScored(source=ScoreSource.SHOTS, waits=True, sighting=sighting)
    counted = state.round.seen_twenties or (0,) * len(state.setup.sides)
    # a person may have counted other 20s than the camera, or removed some
    twenties = [a - b for a, b in zip(state.round.twenties, counted, strict=True)]
    points = [TWENTY * more for more in twenties]
    for total in sighting.totals:
        side = sides.get(total.colour)  # None for a colour that no side plays; it scores nothing
        if side is not None:
            points[side] += total.points
            twenties[side] += total.twenties
    return RoundScored(
        points=tuple(points),
        twenties=tuple(twenties),
        source=ScoreSource.SHOTS,
        waits=True,
        sighting=sighting,
    )


_MAKERS: dict[SightingKind, Callable[[Sighting, MatchState, Sides], Sequence[Event]]] = {
    SightingKind.SHOT: _make_shot,
    SightingKind.TWENTY: _make_twenty,
    SightingKind.ROUND: _make_round,
}
