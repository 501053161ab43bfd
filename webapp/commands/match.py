"""``crokinole match``: a scorekeeper that needs no camera.

Knows the command's arguments and how a match reads to a person.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scorer.match import MatchState, Setup, fold
from scorer.match_events import (
    BoardDisc,
    DiscCorrected,
    Disputed,
    Event,
    FoulCalled,
    MatchError,
    MatchStarted,
    RoundCorrected,
    RoundScored,
    Ruled,
    ShootoutPlayed,
    ShotPlayed,
    Source,
    StarterChosen,
    TimeRanOut,
    Undone,
)
from scorer.match_exchange import (
    match_as_cmn,
    match_as_csv,
    match_as_json,
    match_from_csv,
    match_from_json,
)
from scorer.match_turns import sides_of
from scorer.rules.names import RuleSetName
from scorer.rules.options import CalledFoul, Format
from scorer.store import Store, StoreError
from webapp.match_photo import PhotoRound, round_of_photo

_DATABASE = "crokinole.db"


def add_to(commands: Any) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "match",
        help="keep the score of a match",
        description="Keep the score of a match, round by round, without any camera.",
    )
    parser.add_argument(
        "--db", default=_DATABASE, metavar="URL", help="a file or a database URL; %(default)s"
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    entries = (_add_new, _add_add, _add_shot, _add_disc, _add_rule, _add_undo)
    for add in (*entries, _add_show, _add_list, _add_export, _add_import):
        add(actions)


def _add_new(actions: Any) -> None:
    parser = actions.add_parser("new", help="begin a match")
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="clockwise; a lone one first")
    parser.add_argument("--rules", choices=[str(name) for name in RuleSetName], default="nca")
    parser.add_argument("--format", choices=[str(each) for each in Format])
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--starter", metavar="PLAYER", help="who starts; the first named if not")
    parser.add_argument("--games", type=int, default=1, help="the match is best of so many games")
    parser.add_argument(
        "--colours", nargs="+", default=[], metavar="COLOUR", help="of each side's discs, as seen"
    )
    parser.set_defaults(run=_with_store(_new))


def _add_add(actions: Any) -> None:
    parser = actions.add_parser("add", help="add a round, or what else happened")
    parser.add_argument("points", nargs="*", type=int, help="each side's points, 20s included")
    parser.add_argument(
        "--twenties",
        nargs="+",
        type=int,
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
    other.add_argument("--correct", type=int, metavar="ROUND", help="that round's score was wrong")
    other.add_argument("--shootout", nargs="+", type=int, metavar="N", help="20s of a tie-break")
    other.add_argument("--starter", metavar="PLAYER", help="who starts the coming round")
    other.add_argument("--dispute", metavar="TEXT", help="somebody does not agree")
    other.add_argument("--ruling", nargs=2, metavar=("NUMBER", "TEXT"), help="how it was settled")
    other.add_argument("--time", action="store_true", help="the time of the round ran out")
    other.add_argument("--foul", nargs=2, metavar=("PLAYER", "FOUL"), help="a foul that was called")
    _add_match(parser)
    parser.set_defaults(run=_with_store(_add))


def _add_shot(actions: Any) -> None:
    parser = actions.add_parser("shot", help="add one shot of whoever's turn it is")
    parser.add_argument("verdict", choices=["legal", "foul"], help="%(choices)s")
    parser.add_argument(
        "--board",
        nargs="*",
        default=[],
        metavar="DISC:SIDE:ZONE",
        help="every disc that now lies there, such as a1:Ann:15; SIDE is a name or a colour",
    )
    parser.add_argument("--twenties", nargs="+", type=int, metavar="N", help="each side's new 20s")
    parser.add_argument("--fault", action="append", default=[], metavar="RULE", help="what was not")
    parser.add_argument("--reshoot", action="store_true", help="it is taken again, by the rules")
    _add_match(parser)
    parser.set_defaults(run=_with_store(_shot))


def _add_disc(actions: Any) -> None:
    parser = actions.add_parser("disc", help="correct a disc on the board: its zone or its side")
    parser.add_argument("disc", metavar="DISC")
    _add_change(parser)
    _add_match(parser)
    parser.set_defaults(run=_with_store(_disc))


def _add_rule(actions: Any) -> None:
    parser = actions.add_parser("rule", help="settle a dispute, with what it changes on the board")
    parser.add_argument("number", type=int, metavar="DISPUTE")
    parser.add_argument("decision", metavar="TEXT")
    parser.add_argument("--disc", metavar="DISC")
    _add_change(parser)
    _add_match(parser)
    parser.set_defaults(run=_with_store(_rule))


def _add_change(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--zone", type=int, metavar="ZONE", help="it lies in: 15, 10, 5 or 0")
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
    parser.add_argument("file", type=Path, help="JSON, or CSV if its name ends so")
    parser.set_defaults(run=_with_store(_import))


def _add_match(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--match", type=int, metavar="NUMBER", help="the newest if left out")


def _with_store(action: Any) -> Any:
    """The action, with the database open, and its trouble as sentences."""

    def run(arguments: argparse.Namespace) -> list[str]:
        try:
            with Store(arguments.db) as store:
                action(store, arguments)
        except (StoreError, MatchError) as error:
            return [str(error)]
        return []

    return run


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _new(store: Store, arguments: argparse.Namespace) -> None:
    names = tuple(arguments.players)
    by_count = {2: Format.TWO, 3: Format.THREE_SETS, 4: Format.TEAMS}
    format_ = arguments.format or by_count.get(len(names), Format.TWO)
    setup = MatchStarted(
        rules=arguments.rules,
        format=Format(format_),  # type: ignore[call-arg]
        players=names,
        options=tuple(_option(each) for each in arguments.option),
        starter=_number(names, arguments.starter) if arguments.starter else 0,
        games=arguments.games,
        colours=tuple(arguments.colours),
    )
    number = store.create(setup, now=_now())
    _print(f"Match {number} has begun.", *_in_words(fold([setup])))


def _option(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise MatchError(f"--option {text} has no value; write NAME=VALUE.")
    return name.strip(), value.strip()


def _number(names: Sequence[str], name: str) -> int:
    if name in names:
        return list(names).index(name)
    raise MatchError(f"{name} does not play; choose from {', '.join(names)}.")


def _add(store: Store, arguments: argparse.Namespace) -> None:
    number = _chosen(store, arguments)
    before = fold(store.log(number))
    seen, notes = _photographed(arguments, before.setup)
    told = _event(arguments, before.setup.players, seen, has_shots=before.round.shot_count > 0)
    state = store.append(number, told, now=_now())
    _print(*notes, *_in_words(state))


def _shot(store: Store, arguments: argparse.Namespace) -> None:
    number = _chosen(store, arguments)
    state = fold(store.log(number))
    if state.turn is None:
        raise MatchError("No shot is to come; score the round with `crokinole match add`.")
    told = ShotPlayed(
        player=state.turn,
        verdict=arguments.verdict,
        board=tuple(_board_disc(state.setup, each) for each in arguments.board),
        twenties=tuple(arguments.twenties or [0] * len(state.setup.sides)),
        faults=tuple(arguments.fault),
        reshoot=arguments.reshoot,
    )
    _print(*_in_words(store.append(number, told, now=_now())))


def _board_disc(setup: Setup, text: str) -> BoardDisc:
    name, _, rest = text.partition(":")
    side, _, zone = rest.rpartition(":")
    if not (name and side and zone.isascii() and zone.isdigit()):
        raise MatchError(f"{text} is no disc; write DISC:SIDE:ZONE, such as a1:Ann:15.")
    return BoardDisc(id=name, side=_side(setup, side), zone=int(zone))


def _side(setup: Setup, name: str) -> int:
    """The side that a name, one of its players or the colour of its discs tells."""
    for names in (setup.sides, setup.colours):
        if name in names:
            return names.index(name)
    for side, players in enumerate(sides_of(setup.format)):
        if name in (setup.players[player] for player in players):
            return side
    raise MatchError(f"{name} is no side; choose from {', '.join((*setup.sides, *setup.colours))}.")


def _disc(store: Store, arguments: argparse.Namespace) -> None:
    number = _chosen(store, arguments)
    side = _side_or_none(fold(store.log(number)).setup, arguments.side)
    told = DiscCorrected(disc=arguments.disc, zone=arguments.zone, side=side)
    _print(*_in_words(store.append(number, told, now=_now())))


def _rule(store: Store, arguments: argparse.Namespace) -> None:
    number = _chosen(store, arguments)
    told = Ruled(
        dispute=arguments.number,
        decision=arguments.decision,
        disc=arguments.disc,
        zone=arguments.zone,
        side=_side_or_none(fold(store.log(number)).setup, arguments.side),
    )
    _print(*_in_words(store.append(number, told, now=_now())))


def _side_or_none(setup: Setup, name: str | None) -> int | None:
    return None if name is None else _side(setup, name)


def _photographed(
    arguments: argparse.Namespace, setup: Setup
) -> tuple[PhotoRound | None, list[str]]:
    """What the picture tells, and what to say of it; points given by hand need no picture."""
    if arguments.photo is None:
        return None, []
    other = ("shootout", "starter", "foul", "dispute", "ruling", "time")
    if any(getattr(arguments, name) for name in other):
        raise MatchError("A picture tells a round's points and nothing else; leave --photo out.")
    by_hand = tuple(arguments.points)
    try:
        seen = round_of_photo(
            arguments.photo,
            setup,
            colours=arguments.colours,
            twenties_aside=() if by_hand else arguments.twenties or (),
            profile=arguments.profile,
        )
    except MatchError as error:
        if not by_hand:
            raise
        return None, [str(error), "The points are entered as given."]
    told = f"{arguments.photo} tells {_amounts(setup.sides, seen.points)}"
    if by_hand:
        return seen, [f"{told}.", "The points are entered as given."]
    aside = "with" if arguments.twenties else "without"
    return seen, [f"{told}, {aside} 20s beside the board (--twenties)."]


def _event(
    arguments: argparse.Namespace,
    names: Sequence[str],
    seen: PhotoRound | None,
    *,
    has_shots: bool,
) -> Event:
    points = tuple(arguments.points)
    twenties = tuple(arguments.twenties or [0] * len(points))
    source = Source.HAND
    if seen is not None and not points:
        points, twenties, source = seen.points, seen.twenties, Source.PHOTO
    if arguments.shootout:
        return ShootoutPlayed(twenties=tuple(arguments.shootout))
    if arguments.starter:
        return StarterChosen(player=_number(names, arguments.starter))
    if arguments.foul:
        return _called(names, *arguments.foul)
    if arguments.dispute:
        return Disputed(about=arguments.dispute)
    if arguments.ruling:
        return _ruled(*arguments.ruling)
    if arguments.time:
        return TimeRanOut()
    if arguments.correct is not None:
        return RoundCorrected(
            round=arguments.correct, points=points, twenties=twenties, source=source
        )
    if not points and has_shots:
        return RoundScored(source=Source.SHOTS)
    if not points:
        raise MatchError("Give each side's points, such as `crokinole match add 60 45`.")
    return RoundScored(points=points, twenties=twenties, source=source)


def _ruled(number: str, decision: str) -> Ruled:
    if not (number.isascii() and number.isdigit()):
        raise MatchError(f"{number} is no dispute's number; `crokinole match show` tells them.")
    return Ruled(dispute=int(number), decision=decision)


def _called(names: Sequence[str], player: str, foul: str) -> FoulCalled:
    if foul not in set(CalledFoul):
        raise MatchError(f"There is no foul {foul}; choose from {', '.join(CalledFoul)}.")
    called = CalledFoul(foul)  # type: ignore[call-arg]
    return FoulCalled(player=_number(names, player), foul=called)


def _undo(store: Store, arguments: argparse.Namespace) -> None:
    state = store.append(_chosen(store, arguments), Undone(), now=_now())
    _print("Undone.", *_in_words(state))


def _show(store: Store, arguments: argparse.Namespace) -> None:
    number = _chosen(store, arguments)
    state = fold(store.log(number))
    if arguments.json:
        sys.stdout.write(json.dumps({"match": number, **state_json(state)}, indent=1) + "\n")
    else:
        _print(f"Match {number}", *_in_words(state))


def _list(store: Store, arguments: argparse.Namespace) -> None:
    rows: list[dict[str, Any]] = []
    for each in store.matches():
        state = fold(store.log(each.id))
        told = {"match": each.id, "created": each.created, "sides": list(state.setup.sides)}
        rows.append({**told, "totals": list(state.totals), "is_over": state.is_over})
    if arguments.json:
        sys.stdout.write(json.dumps(rows, indent=1) + "\n")
        return
    for row in rows:
        score = " : ".join(str(each) for each in row["totals"])
        over = ", over" if row["is_over"] else ""
        _print(f"{row['match']}  {row['created']}  {' - '.join(row['sides'])}  {score}{over}")
    if not rows:
        _print("No match yet; begin one with `crokinole match new ANN BOB`.")


def _export(store: Store, arguments: argparse.Namespace) -> None:
    number = _chosen(store, arguments)
    log = store.log(number)
    if arguments.cmn:
        created = next(each.created for each in store.matches() if each.id == number)
        told = match_as_cmn(log, created=created, version=version("crokinole-referee"))
    else:
        told = match_as_csv(log) if arguments.csv else match_as_json(log)
    sys.stdout.write(told)


def _import(store: Store, arguments: argparse.Namespace) -> None:
    path: Path = arguments.file
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise MatchError(f"{path} cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise MatchError(f"{path} is no text; give an exported match.") from None
    read = match_from_csv if path.suffix.lower() == ".csv" else match_from_json
    number = store.take_in(read(text), now=_now())
    _print(f"Match {number} is taken in.")


def _chosen(store: Store, arguments: argparse.Namespace) -> int:
    """The match named, or the newest."""
    if arguments.match is not None:
        return int(arguments.match)
    matches = store.matches()
    if not matches:
        raise MatchError("No match yet; begin one with `crokinole match new ANN BOB`.")
    return matches[-1].id


def _print(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def state_json(state: MatchState) -> dict[str, Any]:
    """How a match stands, as JSON holds it."""
    return {
        "rules": str(state.setup.rules.name),
        "format": str(state.setup.format),
        "players": list(state.setup.players),
        "sides": list(state.setup.sides),
        "colours": list(state.setup.colours),
        "rounds": [
            {
                "points": list(each.points),
                "twenties": list(each.twenties),
                "value": list(each.value),
                "source": str(each.source),
            }
            for each in state.rounds
        ],
        "totals": list(state.totals),
        "twenties": list(state.twenties),
        "games": [
            {"winners": list(each.winners), "totals": list(each.totals)} for each in state.games
        ],
        "disputes": [{"about": each.about, "decision": each.decision} for each in state.disputes],
        "fouls": [
            {"player": state.setup.players[each.player], "foul": str(each.foul)}
            for each in state.fouls
        ],
        "starter": state.round.starter,
        "turn": state.turn,
        "hammer": state.hammer,
        "board": [
            {"id": each.id, "side": state.setup.sides[each.side], "zone": each.zone}
            for each in state.round.board
        ],
        "discs_left": list(state.discs_left),
        "shootout": list(state.shootout),
        "winners": list(state.winners),
        "is_over": state.is_over,
    }


def _in_words(state: MatchState) -> Iterator[str]:
    sides, names = state.setup.sides, state.setup.players
    for number, each in enumerate(state.rounds, start=1):
        yield f"  round {number}: {_amounts(sides, each.points)} ({_amounts(sides, each.value)})"
    for number, dispute in enumerate(state.disputes, start=1):
        yield f"  dispute {number}: {dispute.about}: {dispute.decision or 'open'}"
    for each_foul in state.fouls:
        yield f"  {names[each_foul.player]}: {each_foul.foul.words}"
    for disc in state.round.board:
        yield f"  disc {disc.id}: {sides[disc.side]} {disc.zone}"
    yield f"Total: {_amounts(sides, state.totals)}"
    yield f"20s: {_amounts(sides, state.twenties)}"
    if state.is_over:
        yield f"{' and '.join(sides[side] for side in state.winners)} won."
    elif state.shootout:
        level = " and ".join(sides[side] for side in state.shootout)
        yield f"{level} are level: a shoot-out for 20s decides."
    elif state.round.shot_count and state.turn is None:
        yield "All discs are shot; score the round with `crokinole match add`."
    elif state.round.shot_count and state.turn is not None:
        yield f"It is {names[state.turn]}'s turn; {names[state.hammer]} has the hammer."
    else:
        yield f"{names[state.round.starter]} starts; {names[state.hammer]} has the hammer."


def _amounts(sides: Sequence[str], amounts: Sequence[int]) -> str:
    return " · ".join(f"{name} {each}" for name, each in zip(sides, amounts, strict=True))
