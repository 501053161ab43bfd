"""An entry made on an older state of a match, merged into the current state: a three-way merge.

The person who makes the entry saw an older log. The fold of that log is the common ancestor, the
fold of the current log is "theirs", and the entry is "mine" (as in version control, Khanna et al.,
A formal investigation of diff3, 2007). Entries without a conflict are merged; for a conflict, both
values are shown and a person chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from calibration.phrase import Phrase
from scorer.match.colours import list_colours
from scorer.match.descriptions import describe_event, format_amounts
from scorer.match.events import (
    ColoursChosen,
    DiscCorrected,
    Disputed,
    Event,
    FoulCalled,
    MatchError,
    RoundCorrected,
    RoundScored,
    RoundStarted,
    Ruled,
    ShootoutPlayed,
    ShotPlayed,
    StarterChosen,
    StarterCorrected,
    TimeRanOut,
    TwentyCounted,
    Undone,
)
from scorer.match.fold import fold
from scorer.match.scoring import Amounts, check_round
from scorer.match.state import MatchState, RoundResult
from scorer.match.undo import find_events_in_force, find_undoable
from scorer.zone_values import TWENTY


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedEntry:
    """The event to enter now; None if it is already in the log.

    note  one sentence about it
    """

    event: Event | None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeOption:
    """One solution of a conflict, in words; an option without an event enters nothing."""

    words: str
    event: Event | None


class ConflictError(MatchError):
    """Another person made a conflicting entry; the user chooses from options."""

    def __init__(self, sentence: str, *options: MergeOption) -> None:
        """Describe the conflict and its possible solutions."""
        super().__init__(sentence)
        self.options = options


@dataclass(frozen=True, slots=True, kw_only=True)
class _Views:
    """The match as seen and as it is now: states, logs, and places of events in force."""

    before: MatchState
    now: MatchState
    log: Sequence[Event]
    new: Sequence[Event]
    last_before: int
    in_force: Sequence[int]

    @property
    def sides(self) -> tuple[str, ...]:
        return self.now.setup.sides

    @property
    def is_same_round(self) -> bool:
        return len(self.before.rounds) == len(self.now.rounds)

    @property
    def round_seen(self) -> int:
        return len(self.before.rounds) + 1

    @property
    def their_round(self) -> RoundResult | None:
        """The score that the round has received since the person saw it; None if it has none."""
        has_score = len(self.now.rounds) > len(self.before.rounds)
        return self.now.rounds[len(self.before.rounds)] if has_score else None

    def format_points(self, points: Amounts) -> str:
        return format_amounts(self.now.setup, points)


def merge_event(
    event: Event, log: Sequence[Event], *, version: int, own: Collection[int] = ()
) -> MergedEntry:
    """The entry for an event made when the log had ``version`` events.

    own  places in the log of later events entered by the same person
    Raises ``ConflictError`` if a person must choose. ``fold`` decides whether the event is possible
    at all.
    """
    seen = _places_seen(log, version, own)
    if len(seen) == len(log):
        return MergedEntry(event=event)
    seen_log, known = [log[place] for place in seen], set(seen)
    views = _Views(
        before=fold(seen_log),
        now=fold(log),
        log=log,
        new=[entry for place, entry in enumerate(log) if place not in known],
        last_before=seen[find_undoable(seen_log) or 0],
        in_force=find_events_in_force(log),
    )
    return _MERGERS.get(type(event), _keep)(event, views)


def _places_seen(log: Sequence[Event], version: int, own: Collection[int]) -> list[int]:
    """Places of the events that the person knew, without the person's own later ones if they do not
    fold.
    """
    first = min(max(version, 1), len(log))
    seen = [place for place in range(len(log)) if place < first or place in own]
    try:
        fold([log[place] for place in seen])
    except MatchError:
        return list(range(first))
    return seen


def _keep(event: Event, _views: _Views) -> MergedEntry:
    return MergedEntry(event=event)


LEAVE = MergeOption(words=Phrase("Leave it as it is"), event=None)


def _merge_twenty(event: TwentyCounted, views: _Views) -> MergedEntry:
    """Merges a count of one 20 with any other change, except with one of that side's 20s: both may
    be the same disc. It belongs to the round in which it was seen.
    """
    what = Phrase("Add a 20") if event.change > 0 else Phrase("Remove a 20")
    name = views.sides[event.side]
    if views.is_same_round:
        before, now = (state.round.twenties[event.side] for state in (views.before, views.now))
        if (now - before) * event.change <= 0:
            return MergedEntry(event=event)
        if now + event.change not in range(views.now.setup.discs[event.side] + 1):
            return MergedEntry(
                event=None,
                note=Phrase(
                    "Someone already made this change. 20s for %(name)s now: %(now)s.",
                    name=name,
                    now=now,
                ),
            )
        change = Phrase(
            "The count went from %(before)s to %(now)s in the meantime, perhaps for the same disc.",
            before=before,
            now=now,
        )
        raise ConflictError(
            Phrase("%(action)s for %(name)s? %(change)s", action=what, name=name, change=change),
            MergeOption(words=what, event=event),
            LEAVE,
        )
    options = []
    theirs = views.their_round
    if theirs is not None and (corrected := _add_twenty(theirs, event, views)) is not None:
        words = Phrase(
            "Change round %(round_seen)s to %(points)s",
            round_seen=views.round_seen,
            points=views.format_points(corrected.points),
        )
        options.append(MergeOption(words=words, event=corrected))
    if not views.now.is_over and not views.now.shootout:
        words = Phrase("Add it to round %(round)s", round=len(views.now.rounds) + 1)
        options.append(MergeOption(words=words, event=event))
    raise ConflictError(
        Phrase(
            "%(action)s for %(name)s? %(change)s",
            action=what,
            name=name,
            change=_describe_round_change(views),
        ),
        *options,
        LEAVE,
    )


def _add_twenty(theirs: RoundResult, event: TwentyCounted, views: _Views) -> RoundCorrected | None:
    """The round with one 20 more or less; None if its discs cannot make that."""
    changes = tuple(event.change * (side == event.side) for side in range(len(views.sides)))
    points = tuple(a + TWENTY * b for a, b in zip(theirs.points, changes, strict=True))
    twenties = tuple(a + b for a, b in zip(theirs.twenties, changes, strict=True))
    try:
        check_round(points, twenties, views.now.setup.discs, views.sides)
    except MatchError:
        return None
    return RoundCorrected(round=views.round_seen, points=points, twenties=twenties)


def _describe_round_change(views: _Views) -> str:
    theirs = views.their_round
    if theirs is None:
        return Phrase(
            "Round %(round)s was undone in the meantime.", round=len(views.now.rounds) + 1
        )
    return Phrase(
        "Someone entered round %(round_seen)s in the meantime: %(points)s (20s: %(twenties)s).",
        round_seen=views.round_seen,
        points=views.format_points(theirs.points),
        twenties=views.format_points(theirs.twenties),
    )


def _merge_score(event: RoundScored, views: _Views) -> MergedEntry:
    """The round's score, with 20s that others have counted since; two different scores are shown
    side by side.
    """
    theirs = views.their_round
    if event.points is None:
        if theirs is not None:
            return MergedEntry(event=None, note=_describe_round_change(views))
        return _keep_in_round(event, views)
    twenties = event.twenties or (0,) * len(event.points)
    mine = Phrase(
        "%(points)s (20s: %(twenties)s)",
        points=views.format_points(event.points),
        twenties=views.format_points(twenties),
    )
    if theirs is not None:
        if (theirs.points, theirs.twenties) == (event.points, twenties):
            note = Phrase(
                "Someone already entered round %(round_seen)s with the same score.",
                round_seen=views.round_seen,
            )
            return MergedEntry(event=None, note=note)
        corrected = RoundCorrected(round=views.round_seen, points=event.points, twenties=twenties)
        raise ConflictError(
            Phrase(
                "%(change)s You entered %(mine)s. Which is right?",
                change=_describe_round_change(views),
                mine=mine,
            ),
            MergeOption(
                words=Phrase("Keep %(points)s", points=views.format_points(theirs.points)),
                event=None,
            ),
            MergeOption(
                words=Phrase("Change it to %(points)s", points=views.format_points(event.points)),
                event=corrected,
            ),
        )
    if not views.is_same_round:
        words = Phrase("Enter it as round %(round)s", round=len(views.now.rounds) + 1)
        option = MergeOption(words=words, event=event)
        raise ConflictError(
            Phrase(
                "%(change)s You entered %(mine)s.", change=_describe_round_change(views), mine=mine
            ),
            option,
            LEAVE,
        )
    return _merge_twenties(event, event.points, twenties, views)


def _merge_twenties(
    event: RoundScored, points: Amounts, mine: Amounts, views: _Views
) -> MergedEntry:
    """The score with the sides' 20s merged: a change by either person counts."""
    before, theirs = views.before.round.twenties, views.now.round.twenties
    merged = tuple(_merge_values(*row) for row in zip(mine, before, theirs, strict=True))
    if None in merged:
        taken = _with_twenties(event, points, mine, theirs)
        raise ConflictError(
            (
                Phrase(
                    "Someone else counted the 20s differently: %(theirs)s. You entered %(mine)s. "
                    "Which is right?",
                    theirs=views.format_points(theirs),
                    mine=views.format_points(mine),
                )
            ),
            MergeOption(
                words=Phrase("20s: %(twenties)s", twenties=views.format_points(mine)), event=event
            ),
            MergeOption(
                words=Phrase("20s: %(twenties)s", twenties=views.format_points(theirs)), event=taken
            ),
        )
    changed = tuple(part for part in merged if part is not None)
    if changed == mine:
        return MergedEntry(event=event)
    entry = _with_twenties(event, points, mine, changed)
    note = Phrase(
        "Someone else changed the 20s, so the score is now %(points)s.",
        points=views.format_points(entry.points or ()),
    )
    return MergedEntry(event=entry, note=note)


def _with_twenties(event: RoundScored, points: Amounts, old: Amounts, new: Amounts) -> RoundScored:
    changed = tuple(p + TWENTY * (b - a) for p, a, b in zip(points, old, new, strict=True))
    counts = tuple(
        (count, *rest) for count, (_, *rest) in zip(new, event.counts or (), strict=False)
    )
    return replace(event, points=changed, twenties=new, counts=counts)


def _merge_values(mine: Any, before: Any, theirs: Any) -> Any:
    """The changed one of the three values; None if two people changed it differently (diff3)."""
    if mine in (before, theirs):
        return theirs
    return mine if theirs == before else None


def _merge_correction(event: RoundCorrected, views: _Views) -> MergedEntry:
    """A round's correction, merged side by side."""
    place = event.round - 1
    if not 0 <= place < min(len(views.before.rounds), len(views.now.rounds)):
        return MergedEntry(event=event)
    mine = list(zip(event.points, event.twenties, strict=False))
    before, theirs = (
        list(zip(result.points, result.twenties, strict=True))
        for result in (views.before.rounds[place], views.now.rounds[place])
    )
    if mine == theirs:
        return MergedEntry(
            event=None, note=Phrase("Round %(round)s already has that score.", round=event.round)
        )
    if len(mine) != len(theirs):
        return MergedEntry(event=event)
    merged = [_merge_values(*row) for row in zip(mine, before, theirs, strict=True)]
    if None in merged:
        was, points = views.now.rounds[place].points, event.points
        raise ConflictError(
            (
                Phrase(
                    "Round %(round)s was corrected to %(was)s in the meantime. You "
                    "entered %(points)s. Which is right?",
                    round=event.round,
                    was=views.format_points(was),
                    points=views.format_points(points),
                )
            ),
            MergeOption(words=Phrase("Keep %(was)s", was=views.format_points(was)), event=None),
            MergeOption(
                words=Phrase("Change it to %(points)s", points=views.format_points(points)),
                event=event,
            ),
        )
    points, twenties = (tuple(pair) for pair in zip(*merged, strict=True))
    return MergedEntry(event=replace(event, points=points, twenties=twenties))


def _merge_undo(event: Undone, views: _Views) -> MergedEntry:
    """Undoes the entry that the person saw as the last one, and no other."""
    last_now = find_undoable(views.log) or 0
    if last_now == views.last_before:
        return MergedEntry(event=event)
    setup = views.now.setup
    meant = describe_event(setup, views.log[views.last_before])
    if views.last_before not in views.in_force:
        return MergedEntry(
            event=None, note=Phrase("“%(meant)s” has already been undone.", meant=meant)
        )
    last = describe_event(setup, views.log[last_now])
    raise ConflictError(
        Phrase("Someone else has entered “%(last)s” since “%(meant)s”.", meant=meant, last=last),
        MergeOption(words=Phrase("Undo “%(last)s”", last=last), event=event),
        LEAVE,
    )


def _merge_shot(event: ShotPlayed, views: _Views) -> MergedEntry:
    """A shot entered by hand; if two people enter the same shot, it counts once."""
    name = views.now.setup.players[event.player]
    seen, now = views.before.round.shots[event.player], views.now.round.shots[event.player]
    if views.is_same_round and now == seen:
        return MergedEntry(event=event)
    return MergedEntry(
        event=None, note=Phrase("%(name)s's shot has already been entered.", name=name)
    )


def _keep_in_round(event: Event, views: _Views) -> MergedEntry:
    """Entries for one round are not carried into another."""
    if views.is_same_round:
        return MergedEntry(event=event)
    raise ConflictError(_describe_round_change(views), LEAVE)


def _merge_start(event: RoundStarted, views: _Views) -> MergedEntry:
    if views.is_same_round and views.now.round.has_started and not views.before.round.has_started:
        return MergedEntry(
            event=None,
            note=Phrase(
                "Round %(round_seen)s has already been started.", round_seen=views.round_seen
            ),
        )
    return _keep_in_round(event, views)


def _merge_time_out(event: TimeRanOut, views: _Views) -> MergedEntry:
    if views.is_same_round and views.now.round.is_timed_out:
        return MergedEntry(event=None, note=Phrase("Someone has already entered “Time ran out”."))
    return _keep_in_round(event, views)


def _merge_starter(event: StarterChosen, views: _Views) -> MergedEntry:
    _keep_in_round(event, views)
    names, theirs = views.now.setup.players, views.now.round.starter
    if theirs not in (views.before.round.starter, event.player):
        raise ConflictError(
            Phrase("Someone else has already chosen %(player)s to start.", player=names[theirs]),
            MergeOption(words=Phrase("%(player)s starts", player=names[theirs]), event=None),
            MergeOption(words=Phrase("%(player)s starts", player=names[event.player]), event=event),
        )
    return MergedEntry(event=event)


def _merge_colours(event: ColoursChosen, views: _Views) -> MergedEntry:
    """If two people give a colour the same side, it is entered once; otherwise a person chooses."""
    theirs = list_colours(views.now.setup)
    if not any(isinstance(event, ColoursChosen) for event in views.new):
        return MergedEntry(event=event)
    if event.colours == theirs:
        return MergedEntry(event=None, note=Phrase("Someone else has already entered this."))
    said = replace(event, colours=theirs)
    setup = views.now.setup
    entry = describe_event(setup, said)
    raise ConflictError(
        Phrase(
            "Someone else entered this in the meantime: %(entry)s. Which is right?", entry=entry
        ),
        MergeOption(words=entry, event=None),
        MergeOption(words=describe_event(setup, event), event=event),
    )


def _merge_started(event: StarterCorrected, views: _Views) -> MergedEntry:
    """The starter of a round, unless another person has corrected it differently."""
    names = views.now.setup.players
    since = [corrected for corrected in views.new if isinstance(corrected, StarterCorrected)]
    said = next((corrected for corrected in since[::-1] if corrected.round == event.round), None)
    if said is None:
        return MergedEntry(event=event)
    if said.player == event.player:
        return MergedEntry(event=None, note=Phrase("Someone else has already entered this."))
    name, number = names[said.player], event.round
    raise ConflictError(
        Phrase(
            "Someone else has entered %(name)s as the starter of round %(number)s.",
            name=name,
            number=number,
        ),
        MergeOption(words=Phrase("%(player)s started", player=names[said.player]), event=None),
        MergeOption(words=Phrase("%(player)s started", player=names[event.player]), event=event),
    )


def _merge_disc(event: DiscCorrected, views: _Views) -> MergedEntry:
    """A disc's zone and side, unless another person has corrected it differently."""
    before, theirs = (
        next((disc for disc in state.round.board if disc.id == event.disc), None)
        for state in (views.before, views.now)
    )
    if before is None or theirs is None or before == theirs:
        return MergedEntry(event=event)
    zone = theirs.zone if event.zone is None else event.zone
    side = theirs.side if event.side is None else event.side
    if (zone, side) == (theirs.zone, theirs.side):
        return MergedEntry(event=None, note=Phrase("That has already been corrected."))
    now = Phrase("%(side)s's and worth %(zone)s", side=views.sides[theirs.side], zone=theirs.zone)
    raise ConflictError(
        Phrase("Someone else corrected this disc: it is %(now)s.", now=now),
        MergeOption(
            words=Phrase(
                "Keep %(side)s, %(zone)s", side=views.sides[theirs.side], zone=theirs.zone
            ),
            event=None,
        ),
        MergeOption(
            words=Phrase("Change to %(side)s, %(zone)s", side=views.sides[side], zone=zone),
            event=event,
        ),
    )


def _merge_foul(event: FoulCalled, views: _Views) -> MergedEntry:
    if event not in views.new:
        return MergedEntry(event=event)
    raise ConflictError(
        Phrase(
            "Someone else called this in the meantime: %(foul)s.",
            foul=describe_event(views.now.setup, event),
        ),
        MergeOption(words=Phrase("It is the same foul"), event=None),
        MergeOption(words=Phrase("It is a different foul"), event=event),
    )


def _merge_once(event: Event, views: _Views) -> MergedEntry:
    """An entry that two people make identically is entered once."""
    if event in views.new:
        return MergedEntry(event=None, note=Phrase("Someone else has already entered this."))
    return MergedEntry(event=event)


_MERGERS: dict[type[Any], Callable[[Any, _Views], MergedEntry]] = {
    TwentyCounted: _merge_twenty,
    RoundScored: _merge_score,
    RoundCorrected: _merge_correction,
    Undone: _merge_undo,
    ShotPlayed: _merge_shot,
    RoundStarted: _merge_start,
    TimeRanOut: _merge_time_out,
    StarterChosen: _merge_starter,
    ColoursChosen: _merge_colours,
    StarterCorrected: _merge_started,
    DiscCorrected: _merge_disc,
    FoulCalled: _merge_foul,
    Disputed: _merge_once,
    Ruled: _merge_once,
    ShootoutPlayed: _merge_once,
}
