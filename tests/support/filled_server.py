"""A server after a club's evening: matches, seen shots, practice, a tournament, a referee."""

from __future__ import annotations

import math
import random

from played_tournaments import append_event, play_round, started, with_stage
from watch_events import BLACK, board_event, disc, shot_event, twenty_event

from calibration.placed_disc import Team
from scorer.match.events import Disputed, MatchStarted, RoundScored, RoundStarted, ShotPlayed
from scorer.match.fold import fold as fold_match
from scorer.match.seen_shot import SeenShot
from scorer.practice.events import Drill, Outcome, PracticeShot, PracticeStarted
from scorer.rules.checks import Fault
from scorer.rules.choices import Format
from scorer.rules.fault_codes import FaultCode
from scorer.rules.judge_shot import Verdict
from scorer.tournament.events import StageKind
from scorer.tournament.fold import fold
from scorer.tournament.pairing import pair_next_round
from webapp.services import Services

NATURAL = Team(number=0, colour_rgb=(217, 167, 102), colour_name="natural")
TEAMS = (NATURAL, BLACK)
#: Positions of discs, mm, for the two sides in turn.
PLACES_MM = ((10, 55), (30, 145), (-120, 80), (60, -40), (-70, -150), (180, 160), (0, -118))
LONG = "Wilhelmina Abercrombie-Featherstonehaugh"
PAIRS = (("Ann", "Bob"), ("Cid", "Dee"), ("Ann", LONG), ("Eve", "Bob"), ("Dee", LONG))
_OPPONENT = "an opponent's disc"


def fill(parts: Services) -> int:
    """Fill an empty server; returns the number of the current match, which is in its third
    round.
    """
    rng = random.Random(18)
    for players in PAIRS * 5:
        number = _begin(parts, *players)
        for _ in range(3):
            made = (rng.randrange(3), rng.randrange(3))
            points = tuple(20 * count + 5 * rng.randrange(4) for count in made)
            parts.scoreboard.append(number, RoundScored(points=points, twenties=made))
    for _ in range(2):
        _play_with_camera(parts, rng)
    for player, drill in (
        ("Ann", Drill.OPEN_TWENTIES),
        ("Ann", Drill.OPEN_TWENTIES),
        ("Bob", Drill.TAKE_OUTS),
    ):
        _practise(parts, rng, player, drill)
    log = with_stage(started(10), StageKind.SWISS, range(10), rounds=4)
    for _ in range(2):
        log = play_round(log, 0, rng)
    log = append_event(log, pair_next_round(fold(log), 0))
    parts.tournaments.create(log[0], log[1:], now="2026-01-31T18:00:00.000+00:00")
    return _referee(parts)


def _begin(parts: Services, *players: str) -> int:
    setup = MatchStarted(
        rules="nca", format=Format.TWO, players=players, colours=("natural", "black")
    )
    return parts.scoreboard.begin(setup)


def _play_with_camera(parts: Services, rng: random.Random) -> None:
    """A match of three rounds whose shots a camera saw, with their discs' paths."""
    number = _begin(parts, "Ann", "Bob")
    for _ in range(3):
        for _ in range(16):
            rest = (rng.gauss(0, 90), rng.gauss(0, 90)) if rng.random() < 0.8 else None
            target = (rng.gauss(0, 80), rng.gauss(0, 80)) if rng.random() < 0.7 else None
            is_hit = target is not None and rng.random() < 0.7
            seen = SeenShot(
                start_mm=(rng.uniform(-200, 200), -230.0),
                rest_mm=rest,
                zone=None if rest is None else _zone(rest),
                target_mm=target,
                target_zone=None if target is None else _zone(target),
                is_hit=is_hit,
                is_out=is_hit and rng.random() < 0.6,
            )
            player = fold_match(parts.store.log(number)).turn
            assert player is not None
            shot = ShotPlayed(player=player, verdict="legal", board=(), twenties=(0, 0), seen=seen)
            parts.scoreboard.append(number, shot)
        parts.scoreboard.append(number, RoundScored(points=(60, 40), twenties=(2, 1)))


def _zone(place_mm: tuple[float, float]) -> int:
    radius = math.hypot(*place_mm)
    return next((zone for zone, limit in ((15, 90), (10, 190), (5, 290)) if radius < limit), 0)


def _practise(parts: Services, rng: random.Random, player: str, drill: Drill) -> None:
    number = parts.boards.first().practice.begin(PracticeStarted(player=player, drill=drill))
    for _ in range(11):
        outcome = rng.choice(drill.outcomes)
        shot = PracticeShot(outcome=outcome)
        if outcome is Outcome.ON_BOARD:
            shot = PracticeShot(
                outcome=outcome, right_mm=rng.gauss(10, 50), beyond_mm=rng.gauss(-20, 70)
            )
        parts.boards.first().practice.append(number, shot)


def _referee(parts: Services) -> int:
    """A match that a camera referees: a foul, a question and a dispute."""
    board, recorder = parts.scoreboard, parts.recorder
    number = _begin(parts, "Ann", "Bob")
    board.append(number, RoundScored(points=(45, 20), twenties=(1, 0)))
    board.append(number, RoundScored(points=(20, 65), twenties=(0, 2)))
    board.append(number, RoundStarted(minutes=20))
    recorder.on_start("clip")
    recorder.on_event(board_event(teams=TEAMS))
    discs = [disc(f"d{k}", TEAMS[k % 2], place) for k, place in enumerate(PLACES_MM)]
    for k in range(7):
        recorder.on_event(shot_event(k, TEAMS[k % 2], *discs[: k + 1], teams=TEAMS))
    recorder.on_event(twenty_event(NATURAL))
    fault = Fault(
        code=FaultCode.NO_CONTACT, rule=f"It must strike {_OPPONENT}.", evidence={"touched": []}
    )
    foul = {"verdict": Verdict.FOUL, "faults": [fault], "remove": discs[1:2]}
    recorder.on_event(shot_event(7, BLACK, *discs, teams=TEAMS, **foul))  # type: ignore[arg-type]
    board.append(number, Disputed(about="Is it a 15, or a 10?", disc="d1"))
    return number
