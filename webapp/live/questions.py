"""A match's questions to a person, with answers for one tap.

An answer is an entry on the match's page: its ``action`` and its ``fields``. A closed question is
shown and can be corrected, but nothing waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from calibration.phrase import Phrase, term
from scorer.match.colours import find_unknown, list_colours
from scorer.match.sighting import SightingKind
from scorer.match.state import DisputeState, MatchState
from scorer.match.turns import may_start, player_to_shoot, side_of
from webapp.live.side_colours import COLOUR_HEX

#: The decision of a ruling without any change.
BOARD_COUNTS = Phrase("Score the board as it is.")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswer:
    """A one-tap answer: its words, and the match page's form to send."""

    words: str
    action: str
    fields: dict[str, str | int]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCount:
    """A side and the number of its unseen shots."""

    side: int
    name: str
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchQuestion:
    """A match's question to a person; a closed one is shown, but nothing waits for it.

    ``kind`` is ``colour`` (who plays it), ``starter``, ``end`` (whether the round is over), ``cut``
    (a film ended before all discs were shot), ``missed`` (unseen shots), or ``dispute``; ``hex`` is
    the colour in question, ``dispute`` the number, ``shot`` the saved shot's name.
    """

    kind: str
    words: str
    is_open: bool = True
    hex: str | None = None
    dispute: int | None = None
    shot: str | None = None
    answers: tuple[QuestionAnswer, ...] = ()
    counts: tuple[QuestionCount, ...] = ()


def list_questions(state: MatchState) -> tuple[MatchQuestion, ...]:
    """All questions of a match, open ones first: who plays a colour, who started, whether a round
    is over, and its open disputes.
    """
    disputes = [
        _ask_dispute(state, number, dispute)
        for number, dispute in enumerate(state.disputes, start=1)
        if dispute.is_open
    ]
    ends = [*_ask_end(state), *_report_cut(state)]
    asked = [*_ask_colour(state), *_ask_starter(state), *ends, *disputes]
    return tuple(sorted(asked, key=lambda question: not question.is_open))


def _answer(words: str, action: str, **fields: str | int) -> QuestionAnswer:
    return QuestionAnswer(words=words, action=action, fields=fields)


def _ask_colour(state: MatchState) -> list[MatchQuestion]:
    """The question who plays the colour for which a sighting waits."""
    if not state.waiting or state.is_over:
        return []
    first = state.waiting[0]
    colour = find_unknown(state.setup, first)
    if colour is None:
        return []
    is_shot = first.what is SightingKind.SHOT and colour == first.colour
    name = term(colour)
    words = (
        Phrase("%(shooter)S has shot. Who plays %(colour)s?", shooter=name, colour=name)
        if is_shot
        else Phrase("Who plays %(colour)s in this match?", colour=name)
    )
    known, sides = list_colours(state.setup), state.setup.sides
    free = [side for side, name in enumerate(known) if not name] or range(len(sides))
    answers = tuple(_answer(sides[side], "plays", colour=colour, side=side) for side in free)
    return [MatchQuestion(kind="colour", words=words, answers=answers, hex=COLOUR_HEX.get(colour))]


def _ask_starter(state: MatchState) -> list[MatchQuestion]:
    """The question who started the round, if another player than expected shot first."""
    setup, play = state.setup, state.round
    if play.expected is None or state.is_over:
        return []
    names, number = setup.players, len(state.rounds) + 1
    name, expected = names[play.starter], names[play.expected]
    players = [
        player
        for player in range(len(names))
        if player != play.starter and may_start(setup.format, setup.options, player)
    ]
    if len(state.rounds) == state.game_start:  # no rule defines who starts a game
        answers = tuple(
            _answer(
                Phrase("No, %(player)s started", player=names[player]),
                "started",
                player=player,
                round=number,
            )
            for player in players
        )
        words = Phrase("%(name)s shot first, so %(starter)s starts.", name=name, starter=name)
        return [MatchQuestion(kind="starter", words=words, answers=answers, is_open=False)]
    answers = tuple(
        _answer(
            Phrase("%(player)s started", player=names[player]),
            "started",
            player=player,
            round=number,
        )
        for player in (play.starter, *players)
    )
    words = Phrase(
        "%(expected)s should have started, but %(name)s shot first. Who started?",
        expected=expected,
        name=name,
    )
    return [MatchQuestion(kind="starter", words=words, answers=answers)]


def _ask_end(state: MatchState) -> list[MatchQuestion]:
    """The question whether the round is over, if the camera saw its end with discs still to be
    shot.
    """
    play = state.round
    if play.ended is None or not play.shot_count or state.turn is None:
        return []
    left = play.last_shot - play.shot_count
    words = Phrase(
        "The camera saw the round end with discs still to be shot: %(left)s. Is the round over?",
        left=left,
    )
    return [
        MatchQuestion(
            kind="end", words=words, answers=(_answer(Phrase("The round is over"), "end"),)
        )
    ]


def _report_cut(state: MatchState) -> list[MatchQuestion]:
    """The report that a recording ended the last round before all discs were shot, until the next
    begins.
    """
    last = state.rounds[-1] if state.rounds else None
    if last is None or not last.cut_after or state.round.shot_count or last.is_open:
        return []
    discs, number = last.cut_after, len(state.rounds)
    words = (
        Phrase(
            "The video ended after 1 disc per side. Round %(number)s is scored from those discs.",
            number=number,
        )
        if discs == 1
        else (
            Phrase(
                "The video ended after %(discs)s discs per side. Round %(number)s "
                "is scored from those discs.",
                discs=discs,
                number=number,
            )
        )
    )
    return [MatchQuestion(kind="cut", words=words, is_open=False)]


def _ask_dispute(state: MatchState, number: int, dispute: DisputeState) -> MatchQuestion:
    """A dispute; one about a single unseen shot has yes and no as answers."""
    ask = partial(
        MatchQuestion,
        kind="missed" if dispute.missed else "dispute",
        words=dispute.about,
        dispute=number,
        shot=dispute.shot,
    )
    leave: dict[str, str | int] = {"dispute": number, "decision": BOARD_COUNTS}
    if not dispute.missed:
        return ask(answers=(_answer(Phrase("Score the board as it is"), "rule", **leave),))
    started = _offer_starter(state, dispute)
    if dispute.missed > 1:
        counts = tuple(
            QuestionCount(side=side, name=state.setup.sides[side], most=most)
            for side, most in enumerate(dispute.missed_by)
            if most
        )
        return ask(
            answers=(_answer(Phrase("None went in"), "rule", **leave), *started), counts=counts
        )
    made = {f"twenties{side}": count for side, count in enumerate(dispute.missed_by)}
    answers = (
        _answer(Phrase("No 20"), "rule", **leave),
        _answer(
            Phrase("It was a 20"), "rule", dispute=number, decision=Phrase("It was a 20."), **made
        ),
        *started,
    )
    return ask(answers=answers)


def _offer_starter(state: MatchState, dispute: DisputeState) -> list[QuestionAnswer]:
    """The answer that the first seen shooter started the round, so that no shot was missed."""
    setup, is_past = state.setup, dispute.round <= len(state.rounds)
    played = state.rounds[dispute.round - 1] if is_past else state.round
    is_seen = state.rounds[dispute.round - 1].is_seen if is_past else state.round.seen_shots > 0
    first = player_to_shoot(setup.format, played.starter, dispute.missed)
    if not (dispute.is_first and is_seen and may_start(setup.format, setup.options, first)):
        return []
    if side_of(setup.format, first) == side_of(setup.format, played.starter):
        return []
    words = Phrase("%(player)s started", player=setup.players[first])
    return [_answer(words, "started", player=first, round=dispute.round)]


def list_left_out(state: MatchState) -> tuple[str, ...]:
    """Why people's entries no longer fit the match, one sentence each."""
    return tuple(entry.reason for entry in state.left_out if entry.event.type != "camera_saw")
