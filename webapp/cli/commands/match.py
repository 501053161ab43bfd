"""``crokinole match``: a scorekeeper that needs no camera."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.json_text import format_json
from scorer.match.events import DiscCorrected, FoulCalled, MatchError, Ruled, ShotPlayed, Undone
from scorer.match.exchange import (
    match_as_cmn,
    match_as_csv,
    match_as_json,
    read_matches,
)
from scorer.match.fold import fold
from scorer.rules.choices import Format
from scorer.rules.fault_codes import FaultCode
from webapp.cli.argument_values import whole_number
from webapp.cli.data_arguments import add_database, database_of
from webapp.cli.match_arguments import (
    build_event,
    build_setup,
    find_side,
    parse_board_disc,
    parse_faults,
    read_round_photo,
)
from webapp.cli.match_report import list_line, list_row, setup_lines, state_json, state_lines
from webapp.cli.rules_argument import add_rules
from webapp.data_folder import DataFolderError
from webapp.live.ruling_messages import describe_penalty

if TYPE_CHECKING:
    from scorer.store import Store

#: Larger than the longest match that is taken in.
_MAX_IMPORT_BYTES = 16_000_000


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "match",
        help=summary,
        description="Keep the score of a match, round by round, without any camera.",
    )
    add_database(parser)
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    entries = (_add_new, _add_add, _add_shot, _add_disc, _add_rule, _add_undo)
    for add in (*entries, _add_show, _add_list, _add_export, _add_import):
        add(actions)
    for action in actions.choices.values():
        add_database(action, is_repeated=True)


def _add_new(actions: Any) -> None:
    parser = actions.add_parser("new", help="begin a match")
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="clockwise; a lone one first")
    add_rules(parser)
    parser.add_argument(
        "--format",
        type=str.lower,
        choices=[str(each) for each in Format],
        metavar="NAME",
        help="how they sit: %(choices)s; by the number of players if left out",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option played otherwise, such as round_score=match-play; `crokinole rules NAME` "
        "lists them",
    )
    parser.add_argument(
        "--starter",
        metavar="PLAYER",
        help="who starts, or draw: by lot; the first named who may if left out",
    )
    parser.add_argument(
        "--games",
        type=whole_number(1),
        default=1,
        metavar="N",
        help="the match is best of so many games",
    )
    parser.add_argument(
        "--colours", nargs="+", default=[], metavar="COLOUR", help="of each side's discs, as seen"
    )
    parser.set_defaults(run=_with_store(_new))


def _add_add(actions: Any) -> None:
    parser = actions.add_parser("add", help="add a round, or what else happened")
    parser.add_argument(
        "points", nargs="*", type=whole_number(), help="each side's points, 20s included"
    )
    parser.add_argument(
        "--twenties",
        nargs="+",
        type=whole_number(),
        metavar="N",
        help="each side's 20s; with a picture's points, those beside the board",
    )
    parser.add_argument(
        "--photo", metavar="PICTURE", help="read the points from a picture of the finished round"
    )
    parser.add_argument(
        "--colours", nargs="+", default=[], metavar="COLOUR", help="of each side in this picture"
    )
    parser.add_argument("--profile", type=Path, metavar="FILE", help="sizes for reading a picture")
    other = parser.add_mutually_exclusive_group()
    other.add_argument(
        "--correct", type=whole_number(), metavar="ROUND", help="that round's score was wrong"
    )
    other.add_argument(
        "--shootout", nargs="+", type=whole_number(), metavar="N", help="20s of a tie-break"
    )
    other.add_argument("--starter", metavar="PLAYER", help="who starts the coming round")
    other.add_argument(
        "--plays",
        nargs=2,
        metavar=("COLOUR", "SIDE"),
        help="whose discs have that colour; a camera's shots are then scored again",
    )
    other.add_argument(
        "--started",
        nargs=2,
        metavar=("ROUND", "PLAYER"),
        help="who started that round; a camera's shots are then scored again",
    )
    other.add_argument("--dispute", metavar="TEXT", help="somebody does not agree")
    other.add_argument("--ruling", nargs=2, metavar=("NUMBER", "TEXT"), help="how it was settled")
    other.add_argument("--time", action="store_true", help="the time of the round ran out")
    other.add_argument("--foul", nargs=2, metavar=("PLAYER", "FOUL"), help="a foul that was called")
    _add_match(parser)
    parser.set_defaults(run=_with_store(_add))


def _add_shot(actions: Any) -> None:
    parser = actions.add_parser("shot", help="add one shot of whoever's turn it is")
    parser.add_argument("verdict", choices=["legal", "foul"], help="what it was")
    parser.add_argument(
        "--board",
        nargs="*",
        default=[],
        metavar="DISC:SIDE:ZONE",
        help="every disc that now lies there, such as a1:Ann:15; SIDE is a name or a colour",
    )
    parser.add_argument(
        "--twenties", nargs="+", type=whole_number(), metavar="N", help="each side's new 20s"
    )
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="RULE",
        help=f"the rule it broke: {', '.join(FaultCode)}",
    )
    parser.add_argument("--reshoot", action="store_true", help="it is taken again, by the rules")
    _add_match(parser)
    parser.set_defaults(run=_with_store(_append_shot))


def _add_disc(actions: Any) -> None:
    parser = actions.add_parser("disc", help="correct a disc on the board: its zone or its side")
    parser.add_argument("disc", metavar="DISC")
    _add_change(parser)
    _add_match(parser)
    parser.set_defaults(run=_with_store(_correct_disc))


def _add_rule(actions: Any) -> None:
    parser = actions.add_parser("rule", help="settle a dispute, with what it changes on the board")
    parser.add_argument("number", type=whole_number(), metavar="DISPUTE")
    parser.add_argument("decision", metavar="TEXT")
    parser.add_argument("--disc", metavar="DISC")
    parser.add_argument(
        "--twenty", metavar="SIDE", help="add a 20 for this side: a name or a colour"
    )
    _add_change(parser)
    _add_match(parser)
    parser.set_defaults(run=_with_store(_settle_dispute))


def _add_change(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--zone", type=whole_number(), metavar="ZONE", help="it lies in: 15, 10, 5 or 0"
    )
    parser.add_argument("--side", metavar="SIDE", help="whose it is: a name or a colour")


def _add_undo(actions: Any) -> None:
    parser = actions.add_parser("undo", help="take back what was added last")
    _add_match(parser)
    parser.set_defaults(run=_with_store(_undo))


def _add_show(actions: Any) -> None:
    parser = actions.add_parser("show", help="show how a match stands")
    _add_match(parser)
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=_with_store(_show))


def _add_list(actions: Any) -> None:
    parser = actions.add_parser("list", help="list all matches")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=_with_store(_list))


def _add_export(actions: Any) -> None:
    parser = actions.add_parser("export", help="write a match as JSON, or its rounds as CSV")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--csv", action="store_true", help="rounds as CSV instead of all as JSON")
    kind.add_argument("--cmn", action="store_true", help="a finished match as Match Notation")
    _add_match(parser)
    parser.set_defaults(run=_with_store(_export))


def _add_import(actions: Any) -> None:
    parser = actions.add_parser("import", help="read a match that was exported")
    parser.add_argument("file", type=Path, help="JSON, Match Notation, or CSV if its name ends so")
    parser.set_defaults(run=_with_store(_import))


def _add_match(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--match", type=whole_number(), metavar="NUMBER", help="the newest if left out"
    )


def _with_store(action: Any) -> Any:
    """The action, with the database open, and its trouble as sentences."""

    def run(arguments: argparse.Namespace) -> list[str]:
        from scorer.store import Store, StoreError  # a third of a second, of which help needs none

        try:
            with Store(database_of(arguments)) as store:
                action(store, arguments)
        except (DataFolderError, StoreError, MatchError) as error:
            return [str(error)]
        return []

    return run


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _new(store: Store, arguments: argparse.Namespace) -> None:
    setup, notes = build_setup(arguments)
    begun, state = _now(), fold([setup])
    number = store.create(setup, now=begun)
    begun_line = " ".join([f"Match {number} has begun.", *notes])
    _print(begun_line, *setup_lines(state, begun), *state_lines(state))


def _add(store: Store, arguments: argparse.Namespace) -> None:
    number = _resolve_match(store, arguments)
    before = fold(store.log(number))
    photo, notes = read_round_photo(arguments, before)
    event = build_event(arguments, before, photo)
    state = store.append(number, event, now=_now())
    if isinstance(event, FoulCalled):
        penalty = describe_penalty(event.foul, state.setup.options)
        notes = [penalty or "These rules set no penalty for it."]
    _print(*notes, *state_lines(state))


def _append_shot(store: Store, arguments: argparse.Namespace) -> None:
    number = _resolve_match(store, arguments)
    state = fold(store.log(number))
    if state.turn is None:
        raise MatchError("No shot is to come; score the round with `crokinole match add`.")
    event = ShotPlayed(
        player=state.turn,
        verdict=arguments.verdict,
        board=tuple(parse_board_disc(state.setup, each) for each in arguments.board),
        twenties=tuple(arguments.twenties or [0] * len(state.setup.sides)),
        faults=parse_faults(arguments.verdict, arguments.fault),
        reshoot=arguments.reshoot,
    )
    _print(*state_lines(store.append(number, event, now=_now())))


def _correct_disc(store: Store, arguments: argparse.Namespace) -> None:
    number = _resolve_match(store, arguments)
    side = find_side(fold(store.log(number)).setup, arguments.side)
    event = DiscCorrected(disc=arguments.disc, zone=arguments.zone, side=side)
    _print(*state_lines(store.append(number, event, now=_now())))


def _settle_dispute(store: Store, arguments: argparse.Namespace) -> None:
    number = _resolve_match(store, arguments)
    setup = fold(store.log(number)).setup
    for_side = find_side(setup, arguments.twenty)
    event = Ruled(
        dispute=arguments.number,
        decision=arguments.decision,
        disc=arguments.disc,
        zone=arguments.zone,
        side=find_side(setup, arguments.side),
        twenties=()
        if for_side is None
        else tuple(int(side == for_side) for side in range(len(setup.sides))),
    )
    state = store.append(number, event, now=_now())
    changes_nothing = event.zone is None and event.side is None and not event.twenties
    notes = ["The ruling is in the log; it changes no score."] if changes_nothing else []
    _print(*notes, *state_lines(state))


def _undo(store: Store, arguments: argparse.Namespace) -> None:
    state = store.append(_resolve_match(store, arguments), Undone(), now=_now())
    _print("Undone.", *state_lines(state))


def _show(store: Store, arguments: argparse.Namespace) -> None:
    number = _resolve_match(store, arguments)
    state = fold(store.log(number))
    created = store.created(number)
    if arguments.json:
        shown = {"match": number, "created": created, **state_json(state)}
        sys.stdout.write(format_json(shown, indent=1) + "\n")
    else:
        _print(f"Match {number}", *setup_lines(state, created), *state_lines(state))


def _list(store: Store, arguments: argparse.Namespace) -> None:
    rows = [list_row(each) for each in store.list_states()]
    if arguments.json:
        sys.stdout.write(format_json(rows, indent=1) + "\n")
        return
    _print(*(list_line(row) for row in rows))
    if not rows:
        _print("No match yet; begin one with `crokinole match new ANN BOB`.")


def _export(store: Store, arguments: argparse.Namespace) -> None:
    number = _resolve_match(store, arguments)
    log = store.log(number)
    created = store.created(number)
    if arguments.cmn:
        from importlib.metadata import version

        text = match_as_cmn(log, created=created, version=version("crokinole-referee"))
    elif arguments.csv:
        text = match_as_csv(log, created)
    else:
        text = match_as_json(log, store.times(number)[: len(log)])
    sys.stdout.write(text)


def _import(store: Store, arguments: argparse.Namespace) -> None:
    path: Path = arguments.file
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_IMPORT_BYTES + 1)
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        from calibration.profile import describe_read_error  # which loads arrays

        raise MatchError(describe_read_error(path, error)) from None
    if len(content) > _MAX_IMPORT_BYTES:
        raise MatchError(f"{path} is larger than any match; give an exported match.")
    for record in read_matches(text, path.name):
        number = store.import_log(record.log, now=_now(), times=record.times)
        _print(f"Match {number} is taken in.")


def _resolve_match(store: Store, arguments: argparse.Namespace) -> int:
    """The match named, or the newest."""
    if arguments.match is not None:
        return int(arguments.match)
    newest = store.newest()
    if newest is None:
        raise MatchError("No match yet; begin one with `crokinole match new ANN BOB`.")
    return newest


def _print(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
