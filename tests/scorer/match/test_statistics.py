"""Players' statistics, with their numbers of observations."""

from __future__ import annotations

from dataclasses import replace

from scorer.match.events import (
    DiscInZone,
    Event,
    FoulCalled,
    MatchStarted,
    RoundScored,
    ShotPlayed,
    TimeRanOut,
    TwentyCounted,
    Undone,
)
from scorer.match.seen_shot import SeenShot
from scorer.match.statistics import RunningMean, compute_player_statistics
from scorer.rules.choices import CalledFoul, Format

START = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))


def shot(
    player: int, *board: DiscInZone, verdict: str = "legal", own_twenties: int = 0
) -> ShotPlayed:
    twenties = tuple(own_twenties * (side == player) for side in (0, 1))
    return ShotPlayed(player=player, verdict=verdict, board=board, twenties=twenties)


def disc(name: str, side: int, zone: int) -> DiscInZone:
    return DiscInZone(id=name, side=side, zone=zone)


def test_nothing_seen_gives_no_rate() -> None:
    ann, _ = compute_player_statistics([START])
    assert (ann.fouls.mean, ann.open_twenties.n, ann.round_points.mean) == (None, 0, None)


def test_shots_are_counted_with_their_n() -> None:
    log: list[Event] = [
        START,
        shot(0, own_twenties=1),  # an open board, and a 20
        shot(1, disc("b", 1, 15)),
        shot(0, disc("b", 1, 15), verdict="foul"),  # not an open board
        shot(1, disc("b", 1, 5), disc("c", 1, 10)),
        FoulCalled(player=1, foul=CalledFoul.MOVED_BOARD),
    ]
    ann, bob = compute_player_statistics(log)
    assert ann.open_twenties == RunningMean(total=1, n=1)
    assert ann.fouls == RunningMean(total=1, n=2)
    assert ann.shot_points == RunningMean(total=20, n=2)
    assert bob.open_twenties == RunningMean(total=0, n=2)
    assert bob.shot_points == RunningMean(total=15, n=2)
    assert bob.called_fouls == 1


def test_a_20_that_a_camera_saw_counts_for_its_shot_unless_it_was_a_foul() -> None:
    path = SeenShot(start_mm=(300.0, 0.0), rest_mm=(0.0, 0.0), zone=20, target_mm=None)
    log: list[Event] = [
        START,
        replace(shot(0), seen=path),
        TwentyCounted(side=0),
        shot(1, disc("b", 1, 10)),
        replace(shot(0, disc("b", 1, 10), verdict="foul"), seen=path),
    ]
    ann, bob = compute_player_statistics(log)
    assert ann.shot_points == RunningMean(total=20, n=2)
    assert bob.shot_points == RunningMean(total=10, n=1)


def test_a_shot_of_which_nobody_saw_the_result_is_no_miss() -> None:
    tapped = ShotPlayed(player=0, verdict="legal", board=(), twenties=(0, 0), is_unseen=True)
    ann, bob = compute_player_statistics([START, tapped, shot(1, own_twenties=1)])
    assert (ann.open_twenties.n, ann.fouls.n, ann.shot_points.n) == (0, 0, 0)
    assert bob.open_twenties == RunningMean(total=1, n=1)


def test_undone_shots_and_other_rounds_do_not_count() -> None:
    log: list[Event] = [START, shot(0), Undone(), TimeRanOut(), RoundScored(points=(0, 0))]
    log += [RoundScored(points=(60, 20), twenties=(1, 0))]
    ann, _ = compute_player_statistics(log)
    assert ann.fouls.n == 0
    assert ann.round_points == RunningMean(total=60, n=2)
    assert ann.round_twenties.mean == 0.5
