"""``crokinole match``: score-keeping without a camera."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from calibration.json_text import to_plain
from calibration.user_error import Trouble
from scorer.match.events import DiscCorrected, Event, FoulCalled, MatchError, ShotPlayed, Undone
from scorer.match.exchange import read_matches
from scorer.match.fold import fold
from scorer.physics.skills import SkillName
from scorer.store import Store
from webapp.cli.console import print_result
from webapp.cli.kept_data import database_of
from webapp.cli.match_arguments import (
    build_entry,
    build_ruling,
    build_setup,
    find_side,
    parse_board_disc,
    parse_faults,
)
from webapp.cli.match_report import list_line, list_row, setup_lines, state_json, state_lines
from webapp.formats.match_file import write_match
from webapp.live.ruling_messages import describe_penalty

#: Larger than the longest match that is accepted.
_MAX_IMPORT_BYTES = 16_000_000
_NO_MATCH = "No match yet. Start one with `crokinole match new Ann Bob`."


class _StoredMatch:
    """A match in an open store: the one with this number, or the newest."""

    def __init__(self, store: Store, number: int | None) -> None:
        """Read the match's log. Raises ``MatchError`` if there is none."""
        found = store.newest() if number is None else number
        if found is None:
            raise MatchError(_NO_MATCH)
        self.store, self.number = store, found
        self.log = store.log(found)
        self.state = fold(self.log)

    def append(self, event: Event, *notes: str) -> None:
        """Add an event, and print the notes and the new state of the match."""
        state = self.store.append(self.number, event, now=_now())
        print(*notes, *state_lines(state), sep="\n")


def _on_store(action: Callable[..., None]) -> Callable[..., None]:
    """The action, with the database of ``--db`` and ``--data`` open."""

    def run(db: str | None, data: Path | None, **given: object) -> None:
        with Store(database_of(db, data)) as store:
            action(store, **given)

    return run


def _on_match(action: Callable[..., None]) -> Callable[..., None]:
    """The action, with the match of ``--match``."""

    @_on_store
    def run(store: Store, number: int | None, **given: object) -> None:
        action(_StoredMatch(store, number), **given)

    return run


@_on_store
def new(store: Store, **given: Any) -> None:
    """Start a match."""
    setup, notes = build_setup(**given)
    begun, state = _now(), fold([setup])
    number = store.create(setup, now=begun)
    print(f"Match {number} has started.", *notes)
    print(*setup_lines(state, begun), *state_lines(state), sep="\n")


@_on_match
def add(match: _StoredMatch, **given: Any) -> None:
    """Add a round or another entry."""
    event, notes = build_entry(match.state, **given)
    if isinstance(event, FoulCalled):
        penalty = describe_penalty(event.foul, match.state.setup.options)
        notes = [penalty or "These rules have no penalty for this."]
    match.append(event, *notes)


@_on_match
def shot(
    match: _StoredMatch,
    verdict: str,
    board: Sequence[str],
    twenties: Sequence[int],
    faults: Sequence[str],
    reshoot: bool,
) -> None:
    """Add a shot."""
    setup, turn = match.state.setup, match.state.turn
    if turn is None:
        raise MatchError("No shots are left. Score the round with `crokinole match add`.")
    match.append(
        ShotPlayed(
            player=turn,
            verdict=verdict,
            board=tuple(parse_board_disc(setup, disc) for disc in board if disc),
            twenties=tuple(twenties or [0] * len(setup.sides)),
            faults=parse_faults(verdict, faults),
            reshoot=reshoot,
        )
    )


@_on_match
def disc(match: _StoredMatch, disc: str, zone: int | None, side: str | None) -> None:
    """Correct a disc."""
    number = None if side is None else find_side(match.state.setup, side)
    match.append(DiscCorrected(disc=disc, zone=zone, side=number))


@_on_match
def rule(match: _StoredMatch, **given: Any) -> None:
    """Settle a dispute."""
    ruling = build_ruling(match.state.setup, **given)
    changes = ruling.zone is not None or ruling.side is not None or ruling.twenties
    notes = () if changes else ("The ruling is recorded. The score does not change.",)
    match.append(ruling, *notes)


@_on_match
def undo(match: _StoredMatch) -> None:
    """Undo the last entry."""
    match.append(Undone(), "Undone.")


@_on_match
def show(match: _StoredMatch, as_json: bool) -> None:
    """Print the state of the match."""
    created = match.store.created(match.number)
    shown = {"match": match.number, "created": created, **state_json(match.state)}
    title, settings = f"Match {match.number}", setup_lines(match.state, created)
    print_result(shown, [title, *settings, *state_lines(match.state)], as_json=as_json)


@_on_match
def analyse(match: _StoredMatch, skill: str, as_json: bool) -> None:
    """Print the value of every shot."""
    from scorer.analysis.match_analysis import analyse_match  # importing it loads NumPy
    from webapp.formats.analysis import analysis_lines, describe_analysis

    analysis, setup = analyse_match(match.log, SkillName(skill)), match.state.setup
    shown = {"match": match.number, **to_plain(describe_analysis(setup, analysis))}
    print_result(shown, analysis_lines(setup, analysis), as_json=as_json)


@_on_store
def list_matches(store: Store, as_json: bool) -> None:
    """Print one line per match."""
    matches = list(store.list_states())
    lines = map(list_line, matches) if matches else [_NO_MATCH]
    print_result([*map(list_row, matches)], lines, as_json=as_json)


@_on_match
def export(match: _StoredMatch, csv: bool, cmn: bool) -> None:
    """Write the match to standard output."""
    kind = "cmn" if cmn else "csv" if csv else "json"
    sys.stdout.write(write_match(match.store, match.number, match.log, kind))


@_on_store
def import_file(store: Store, file: Path) -> None:
    """Import matches from a file or from standard input."""
    try:
        with click.open_file(os.fspath(file), "rb") as opened:
            content = opened.read(_MAX_IMPORT_BYTES + 1)
        text = content.decode("utf-8")
    except (OSError, ValueError) as error:
        from calibration.profile import describe_read_error  # importing it loads arrays

        raise Trouble(describe_read_error(file, error)) from None
    if len(content) > _MAX_IMPORT_BYTES:
        raise MatchError(f"{file} is too large to be a match. Choose an exported match.")
    for record in read_matches(text, file.name):
        number = store.import_log(record.log, now=_now(), times=record.times)
        print(f"Match {number} imported.")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
