"""A photo's score is saved as a round of the newest match, and corrected there afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flask import abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase, join, term
from scorer.match.colours import list_colours
from scorer.match.descriptions import format_amounts
from scorer.match.events import MatchError, RoundScored
from scorer.match.fold import fold
from scorer.match.state import MatchState
from scorer.photo.corrections import apply_corrections, count_totals, list_teams
from scorer.photo.kept_round import (
    KeptRound,
    Owners,
    are_owners_known,
    count_set_aside,
    find_round,
    find_same_round,
    get_round,
    guess_owners,
    make_correction,
    make_round,
)
from webapp.auth import may_write_at
from webapp.http.parse_number import read_whole_number
from webapp.jobs.snapshot_job import SnapshotResult
from webapp.jobs.snapshot_sessions import SnapshotSession
from webapp.pages.form_errors import keep_typed, redirect_with_problem, show_note
from webapp.pages.snapshot.blueprint import BLUEPRINT, get_scored
from webapp.pages.snapshot.kept_case import keep_case
from webapp.pages.snapshot.snapshot_page import build_side_choices
from webapp.services import board_at_hand, services

#: Most 20s of a side beside the board, because nobody has more discs.
_MAX_TWENTIES = 12
#: The choice for a side without a disc on the board.
_NONE = "none"


def build_save_form(snapshot: SnapshotSession, seen: SnapshotResult) -> dict[str, object]:
    """The match where a round can be saved, or already is, and the known colours.

    A round that was saved and then undone in that match is offered again unchanged.
    """
    kept = _find_kept(snapshot)
    match_id = kept[0].match if kept else board_at_hand().scoreboard.match_id()
    if match_id is None:
        return {"match": None, "kept": None}
    log = services().store.log(match_id)
    state, teams = fold(log), list_teams(seen.score)
    discs = apply_corrections(seen.score, snapshot.corrections)
    said = snapshot.kept if snapshot.kept and snapshot.kept.match == match_id else None
    owners = said.owners if said else guess_owners(state.setup, teams)
    counted = state.round.twenties
    aside = said.aside if said else count_set_aside(seen.score, discs, owners, counted)
    is_known = said is not None or are_owners_known(owners, discs)
    was_refused = "twenties_0" in request.args
    chosen = _list_typed_teams(state) if was_refused else _list_values(owners, is_known=is_known)
    return {
        "match": match_id,
        "state": state,
        "kept": kept and {"round": kept[1], "points": get_round(log, kept[1]).points},
        "seen": _mark(said),
        "same_round": None if kept else find_same_round(state.rounds, discs),
        "has_other_match": match_id != board_at_hand().scoreboard.match_id(),
        "is_known": is_known and not was_refused and request.args.get("colours") != "ask",
        "has_colours": any(state.setup.colours),
        "sides": build_side_choices(state.setup, count_totals(seen.score, discs), teams, chosen),
        "counted": None if said else counted,
        "aside": _list_typed_aside(aside) if was_refused else aside,
        "most_twenties": _MAX_TWENTIES,
    }


def _list_values(owners: Owners, *, is_known: bool) -> list[str]:
    """The sides' colours for the form; "" if unknown."""
    without = _NONE if is_known else ""
    return [without if owner is None else str(owner) for owner in owners]


def _mark(kept: KeptRound | None) -> str:
    """The choices made for a saved photo, for the form that shows them."""
    return "" if kept is None else f"{kept.owners} {kept.aside}"


def _list_typed_teams(state: MatchState) -> list[str]:
    """The sides' colours as chosen before the form was refused."""
    return [request.args.get(f"team_{side}", "") for side in range(len(state.setup.sides))]


def _list_typed_aside(aside: Sequence[int]) -> list[int | str]:
    """The sides' 20s as typed before the form was refused."""
    return [request.args.get(f"twenties_{side}", number) for side, number in enumerate(aside)]


def _find_kept(snapshot: SnapshotSession) -> tuple[KeptRound, int] | None:
    """The place of a saved photo, and the round's number; None if it is not saved, or no longer."""
    kept = snapshot.kept
    if kept is None:
        return None
    number = find_round(services().store.log(kept.match), kept.place)
    return None if number is None else (kept, number)


@BLUEPRINT.post("/<key>/save")
def save(key: str) -> ResponseReturnValue:
    """Save the score as a round of the newest match; for a saved one, correct the players."""
    snapshot, seen = get_scored(key)
    with snapshot.lock:
        try:
            words = _save(snapshot, seen)
            keep_case(snapshot)
            if words:
                show_note(words, "done")
        except MatchError as error:
            names = [name for name in request.form if name.startswith(("team_", "twenties_"))]
            typed = keep_typed(request.form, *names)
            return redirect_with_problem(str(error), url_for("snapshot.show", key=key, **typed))
    return redirect(url_for("snapshot.show", key=key), 303)


def _save(snapshot: SnapshotSession, seen: SnapshotResult) -> str:
    """The corrections or new colours, in words; empty if there were none.

    Raises ``MatchError``.
    """
    kept, newest = _find_kept(snapshot), board_at_hand().scoreboard.match_id()
    match_id = kept[0].match if kept else newest
    if match_id is None or request.form.get("match") != str(match_id):
        raise MatchError(
            Phrase(
                "A new match has started. Check that this is the right match, then save the round."
            )
        )
    if not may_write_at(services().store.board_of(match_id)):
        abort(401)
    log = services().store.log(match_id)
    state = fold(log)
    owners = _parse_owners(state, seen, request.form)
    aside = _parse_aside(state, request.form)
    if kept is not None:
        is_outdated = request.form.get("seen") != _mark(kept[0])
        if is_outdated and (owners, aside) != (kept[0].owners, kept[0].aside):
            problem = Phrase(
                "This photo is already saved as round %(number)s, with other colours or 20s. "
                "Check them before you correct the round.",
                number=kept[1],
            )
            abort(redirect_with_problem(problem, url_for("snapshot.show", key=snapshot.key)))
        return _correct(snapshot, seen, kept[0], owners, aside) or Phrase("Nothing has changed.")
    discs = apply_corrections(seen.score, snapshot.corrections)
    same = find_same_round(state.rounds, discs)
    if same is not None and "again" not in request.form:
        raise MatchError(Phrase("This photo is already saved as round %(number)s.", number=same))
    event = _make_round(snapshot, seen, state, owners, aside)
    services().boards.of_match(match_id).scoreboard.append(match_id, event)
    after = services().store.log(match_id)  # other entries may have been stored with it
    place = next(place for place in range(len(log), len(after)) if after[place] == event)
    snapshot.kept = KeptRound(match=match_id, place=place, owners=owners, aside=aside)
    return _describe_new_colours(state, event)


def _describe_new_colours(before: MatchState, event: RoundScored) -> str:
    """The new colours that the match has from this round on, for sides that had another one
    before.
    """
    sides, known = before.setup.sides, list_colours(before.setup)
    changed = [
        Phrase("%(name)s had %(old)s and now has %(new)s.", name=name, old=term(old), new=term(new))
        for name, old, new in zip(sides, known, event.colours, strict=False)
        if old and new and old != new
    ]
    return join(" ", changed)


def correct_kept_round(snapshot: SnapshotSession) -> str:
    """Correct the round in the match to the photo's current score; returns the change in words.

    Empty if it is not saved, or unchanged. Raises ``MatchError``.
    """
    kept, seen = _find_kept(snapshot), snapshot.seen
    if kept is None or seen is None:
        return ""
    return _correct(snapshot, seen, kept[0], kept[0].owners, kept[0].aside)


def _correct(
    snapshot: SnapshotSession,
    seen: SnapshotResult,
    kept: KeptRound,
    owners: Owners,
    aside: tuple[int, ...],
) -> str:
    """Like ``correct_kept_round``, with the colours' owners and the 20s beside the board."""
    log = services().store.log(kept.match)
    state, number = fold(log), find_round(log, kept.place)
    assert number is not None
    wanted = _make_round(snapshot, seen, state, owners, aside)
    event = make_correction(log, number, wanted)
    if event is None:
        return ""
    if not may_write_at(services().store.board_of(kept.match)):
        raise MatchError(
            Phrase(
                "This photo is saved as round %(number)s. Join as the scorer to correct it.",
                number=number,
            )
        )
    services().boards.of_match(kept.match).scoreboard.append(kept.match, event)
    snapshot.kept = KeptRound(match=kept.match, place=kept.place, owners=owners, aside=aside)
    keep_case(snapshot)
    return Phrase(
        "Round %(number)s was corrected in the match: %(points)s.",
        number=number,
        points=format_amounts(state.setup, event.points),
    )


def _make_round(
    snapshot: SnapshotSession,
    seen: SnapshotResult,
    state: MatchState,
    owners: Owners,
    aside: tuple[int, ...],
) -> RoundScored:
    discs = apply_corrections(seen.score, snapshot.corrections)
    return make_round(seen.score, discs, state.setup, owners, aside)


def _parse_owners(state: MatchState, seen: SnapshotResult, typed: Mapping[str, str]) -> Owners:
    """The teams of the sides' discs, as typed; None for none on the board."""
    most = len(list_teams(seen.score)) - 1
    names = [f"team_{side}" for side in range(len(state.setup.sides))]
    return tuple(
        None if typed.get(name) == _NONE else _parse_number(typed, name, most) for name in names
    )


def _parse_aside(state: MatchState, typed: Mapping[str, str]) -> tuple[int, ...]:
    """The sides' 20s beside the board, as typed."""
    sides = range(len(state.setup.sides))
    return tuple(_parse_number(typed, f"twenties_{side}", _MAX_TWENTIES) for side in sides)


def _parse_number(typed: Mapping[str, str], name: str, most: int) -> int:
    number = read_whole_number(typed.get(name))
    if number is None or number > most:
        raise MatchError(
            Phrase("Choose a colour for each side, then enter the 20s beside the board.")
        )
    return number
