"""Events of a tournament, parsed from the organiser's forms.

Unreadable input raises ``TournamentError`` with one sentence; ``scorer.tournament.fold`` decides
whether an event is possible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pydantic import ValidationError

from calibration.phrase import Phrase, term
from scorer.board_names import default_name
from scorer.tournament.events import (
    MAX_ENTRIES,
    BoardAssigned,
    CriteriaChanged,
    Criterion,
    EntriesSwapped,
    EntryAdded,
    EntryRenamed,
    EntryReturned,
    EntryWithdrawn,
    LeaverResults,
    MatchPlan,
    Reporter,
    ResultReported,
    RoundBegun,
    RoundSatOut,
    StageKind,
    StageStarted,
    TieBreakPlayed,
    TournamentError,
    TournamentEvent,
    TournamentStarted,
    TournamentUndone,
    WalkoverGiven,
    describe_refusal,
)
from scorer.tournament.fold import judge_leaving
from scorer.tournament.pairing import pair_next_round
from scorer.tournament.standings import (
    CLUB_CRITERIA,
    NCA_CRITERIA,
    order_criteria,
    rank_entries,
)
from scorer.tournament.state import TournamentState
from webapp.http.parse_number import require_whole_number
from webapp.language.template_texts import translate_sentence
from webapp.live.live_boards import free_boards

Form = Mapping[str, str]
Made = TypeVar("Made")
Events = Sequence[TournamentEvent]

#: Lengths of a match, by their names in forms.
PLANS = {
    "club": (Phrase("4 rounds, 2 points each"), MatchPlan(rounds=4)),
    "long": (Phrase("8 rounds, 2 points each"), MatchPlan(rounds=8)),
    "one": (Phrase("1 round"), MatchPlan(rounds=1)),
    "nca": (Phrase("first to 8 match points"), MatchPlan(rounds=None, points=8)),
    "hundred": (Phrase("first to 100 points"), MatchPlan(rounds=None, points=100)),
}
#: Ranking criteria, by their names in forms.
CRITERIA = {
    "club": (Phrase("by matches won (clubs)"), CLUB_CRITERIA),
    "nca": (Phrase("by match points (NCA)"), NCA_CRITERIA),
}
KINDS = {
    StageKind.SWISS: Phrase("Swiss (similar records, few rematches)"),
    StageKind.ROUND_ROBIN: Phrase("Round robin"),
    StageKind.SINGLE_KNOCKOUT: "Knock-out",
    StageKind.DOUBLE_KNOCKOUT: Phrase("Double elimination"),
    StageKind.LADDER: Phrase("Ladder (neighbours play, winners move up)"),
}


#: Text before a name in a list pasted from a chat.
_LIST_MARK = re.compile(r"^\s*(?:\d{1,3}\s*[.):]|[-–•*])\s*")


class LineError(TournamentError):
    """An impossible line in a list of names; ``line`` counts from 1."""

    def __init__(self, sentence: str, line: int) -> None:
        """With one sentence for the user."""
        super().__init__(sentence)
        self.line = line


def parse_setup(form: Form) -> tuple[TournamentStarted, Events]:
    """The tournament described by the form of a new one: its setup and first events."""
    count = _parse_number(form, "boards", Phrase("the number of boards"))
    added = _parse_entries(form.get("entries", ""))
    setup = _make(
        TournamentStarted,
        name=form.get("name", ""),
        boards=tuple(map(default_name, range(1, min(count, 1000) + 1))),
        plan=_choose(PLANS, form, "plan", "match")[1],
        rules=form.get("rules", "nca"),
    )
    stage = _parse_stage(form, tuple(range(len(added))), name="")
    return setup, (*added, stage)


def _parse_entries(text: str) -> list[EntryAdded]:
    """One entry per line, as people write or paste them: with numbers, dashes or dots in front."""
    added: dict[str, EntryAdded] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        name = " ".join(_LIST_MARK.sub("", line).split())
        if not name:
            continue
        try:
            entry = _add_entry(name)
        except TournamentError as error:
            raise LineError(
                Phrase("Line %(number)s: %(error)s", number=number, error=error), number
            ) from None
        key = " & ".join(entry.players).casefold()
        if key in added:
            players = " & ".join(entry.players)
            raise LineError(
                Phrase(
                    "Line %(number)s: %(players)s is already on the list. Give one of "
                    "the two entries a different name.",
                    number=number,
                    players=players,
                ),
                number,
            )
        added[key] = entry
    if len(added) > MAX_ENTRIES:
        raise TournamentError(
            Phrase(
                "Too many entries: %(count)s. The limit is %(most)s.",
                count=len(added),
                most=MAX_ENTRIES,
            )
        )
    return list(added.values())


def _add_entry(name: str, stage: int | None = None) -> EntryAdded:
    return _make(EntryAdded, players=_split_players(name), stage=stage)


def _split_players(name: str) -> tuple[str, ...]:
    """The players of an entry by its name: "Ann & Bob" are two."""
    return tuple(" ".join(player.split()) for player in name.split("&"))


def _parse_stage(form: Form, entries: tuple[int, ...], *, name: str) -> StageStarted:
    text = form.get("kind", "")
    if text not in {str(stage_kind) for stage_kind in StageKind}:
        raise TournamentError(Phrase("Choose a tournament format."))
    kind = StageKind(text)
    has_rounds = kind in (StageKind.SWISS, StageKind.LADDER)
    has_groups = kind is StageKind.ROUND_ROBIN
    criteria = _parse_criteria(form, kind)
    return _make(
        StageStarted,
        kind=kind,
        name=name or KINDS[kind].partition(" (")[0],
        entries=entries,
        rounds=_parse_number(form, "rounds", Phrase("the number of rounds"))
        if has_rounds
        else None,
        groups=_parse_number(form, "groups", Phrase("the number of groups"), 1)
        if has_groups
        else 1,
        criteria=() if kind.is_knockout else criteria,
        third_place=form.get("third_place") == "yes" and kind is StageKind.SINGLE_KNOCKOUT,
    )


def _parse_criteria(form: Form, kind: StageKind) -> tuple[Criterion, ...]:
    """The organiser's own order if one is given, otherwise a usual one."""
    own = [form[f"order{k}"] for k in range(len(Criterion)) if form.get(f"order{k}")]
    if not set(own) <= set(Criterion):
        raise TournamentError(Phrase("Choose the tie-breaks from the list."))
    if own:
        return tuple(dict.fromkeys(Criterion(name) for name in own))
    return order_criteria(_choose(CRITERIA, form, "criteria", "order")[1], kind)


def parse_events(action: str, form: Form, state: TournamentState) -> Events:
    """The events described by a tournament's form."""
    return ACTIONS[action](form, state)


def parse_result(
    form: Form, state: TournamentState, by: Reporter = Reporter.ORGANISER
) -> ResultReported:
    """A match's result from a form: one choice of points for a match of rounds, otherwise two."""
    number = _parse_number(form, "match", Phrase("the match"))
    state.match_at(number)
    first = _parse_number(form, "first", Phrase("the first player's points"))
    if state.plan.points is None:
        second = 2 * (state.plan.rounds or 0) - first
    else:
        second = _parse_number(form, "second", Phrase("the second player's points"))
    return _make(
        ResultReported,
        match=number,
        points=(first, second),
        twenties=(
            _parse_number(form, "first_twenties", Phrase("the first player's 20s"), 0),
            _parse_number(form, "second_twenties", Phrase("the second player's 20s"), 0),
        ),
        by=by,
    )


def _parse_walkover(form: Form, state: TournamentState) -> Events:
    event = _make(
        WalkoverGiven,
        match=_parse_number(form, "match", Phrase("the match")),
        winner=_parse_number(form, "winner", Phrase("the winner")),
    )
    return free_boards(state, [event])


def parse_board(form: Form) -> BoardAssigned:
    """The board where a match is to be played from now on. Raises ``TournamentError``."""
    return _make(
        BoardAssigned,
        match=_parse_number(form, "match", Phrase("the match")),
        board=_parse_number(form, "board", Phrase("the board")),
    )


def _parse_late_entry(form: Form, _state: TournamentState) -> Events:
    stage = form.get("stage", "").strip()
    number = _parse_number(form, "stage", Phrase("the stage")) if stage else None
    return [_add_entry(" ".join(form.get("entry", "").split()), number)]


def _parse_withdrawal(form: Form, state: TournamentState) -> Events:
    """A withdrawal; if nothing is chosen, the rule decides whether the matches of a round robin
    count.
    """
    entry, chosen = _parse_entry(form), form.get("results", "")
    disqualified = form.get("disqualified") == "yes"
    results = judge_leaving(state, entry)
    if results is not None and disqualified:
        results = LeaverResults.WALKOVERS
    elif results is not None and chosen in set(LeaverResults):
        results = LeaverResults(chosen)
    event = _make(EntryWithdrawn, entry=entry, disqualified=disqualified, results=results)
    return free_boards(state, [event])


def _parse_swap(form: Form, _state: TournamentState) -> Events:
    numbers = {
        name: _parse_number(form, name, Phrase("the player")) for name in ("first", "second")
    }
    return [
        _make(EntriesSwapped, stage=_parse_number(form, "stage", Phrase("the stage")), **numbers)
    ]


def _parse_order(form: Form, state: TournamentState) -> Events:
    number = _parse_number(form, "stage", Phrase("the stage"))
    criteria = _parse_criteria(form, state.stage_at(number).kind)
    return [_make(CriteriaChanged, stage=number, criteria=criteria)]


def _parse_next_stage(form: Form, state: TournamentState) -> Events:
    """A stage with some ranks of another: "1 to 8" of its groups, best first."""
    source = _parse_number(form, "from", Phrase("the stage"))
    low = _parse_number(form, "low", Phrase("the first rank"), 1)
    high = _parse_number(form, "high", Phrase("the last rank"), MAX_ENTRIES)
    groups = len(state.stage_at(source).groups)
    ranked = [
        (place, group, entry.entry)
        for group in range(groups)
        for place, entry in enumerate(
            rank_entries(state, source, group if groups > 1 else None), start=1
        )
        if low <= place <= high and not state.entries[entry.entry].has_left
    ]
    entries = tuple(entry for _, _, entry in sorted(ranked))
    if len(entries) < 2:
        raise TournamentError(
            Phrase("Fewer than two players have these ranks. Choose a wider range of ranks.")
        )
    return [_parse_stage(form, entries, name=" ".join(form.get("name", "").split()))]


def _parse_consolation(form: Form, state: TournamentState) -> Events:
    """A knock-out for the losers of another's first round, named in the form's language."""
    source = _parse_number(form, "stage", Phrase("the stage"))
    name = translate_sentence(
        Phrase("%(name)s, consolation", name=state.stage_at(source).name[:26])
    )
    losers = [
        loser
        for match in state.matches_of_stage(source)
        if match.round == 0 and match.winner is not None
        if (loser := match.opponent_of(match.winner)) is not None
        if not state.entries[loser].has_left
    ]
    kind = StageKind.SINGLE_KNOCKOUT
    return [_make(StageStarted, kind=kind, name=name, entries=tuple(losers), third_place=False)]


def _parse_tie_break(form: Form, state: TournamentState) -> Events:
    stage = _parse_number(form, "stage", Phrase("the stage"))
    names = [f"twenties{k}" for k in range(len(state.entries)) if form.get(f"twenties{k}")]
    return [
        _make(
            TieBreakPlayed,
            stage=stage,
            entries=tuple(int(name.removeprefix("twenties")) for name in names),
            twenties=tuple(
                _parse_number(form, name, Phrase("the number of 20s")) for name in names
            ),
        )
    ]


#: The event of each form of a tournament, by the form's action.
#: Parsers of the organiser's forms, by action.
ACTIONS: dict[str, Callable[[Form, TournamentState], Events]] = {
    "pair": lambda form, state: [
        pair_next_round(state, _parse_number(form, "stage", Phrase("the stage")))
    ],
    "clock": lambda form, _: [
        _make(RoundBegun, minutes=_parse_number(form, "minutes", Phrase("the number of minutes")))
    ],
    "result": lambda form, state: free_boards(state, [parse_result(form, state)]),
    "walkover": _parse_walkover,
    "enter": _parse_late_entry,
    "leave": _parse_withdrawal,
    "return": lambda form, _: [_make(EntryReturned, entry=_parse_entry(form))],
    "rest": lambda form, _: [_make(RoundSatOut, entry=_parse_entry(form))],
    "rename": lambda form, _: [
        _make(EntryRenamed, entry=_parse_entry(form), players=_split_players(form.get("name", "")))
    ],
    "swap": _parse_swap,
    "order": _parse_order,
    "undo": lambda *_: [TournamentUndone()],
    "stage": _parse_next_stage,
    "consolation": _parse_consolation,
    "tie-break": _parse_tie_break,
}


def _parse_entry(form: Form) -> int:
    return _parse_number(form, "entry", Phrase("the player"))


def _choose(choices: Mapping[str, Made], form: Form, name: str, what: str) -> Made:
    chosen = choices.get(form.get(name, ""))
    if chosen is None:
        raise TournamentError(Phrase("Choose the %(kind)s from the list.", kind=term(what)))
    return chosen


def _parse_number(form: Form, name: str, what: str, default: int | None = None) -> int:
    text = form.get(name, "").strip()
    if not text and default is not None:
        return default
    return require_whole_number(text, what, TournamentError)


def _make(event_type: Callable[..., Made], /, **values: object) -> Made:
    """An event with these values. Raises ``TournamentError``."""
    try:
        return event_type(**values)
    except ValidationError as error:
        raise TournamentError(describe_refusal(error)) from None
