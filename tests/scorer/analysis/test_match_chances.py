"""Chances of a match by dynamic programming, and a match analysed shot by shot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulated_match import simulate_match

from scorer.analysis.match_analysis import ShotKind, analyse_match
from scorer.analysis.match_chances import MatchChances
from scorer.match.events import DiscInZone, Event, MatchStarted, RoundScored, ShotPlayed
from scorer.match.fold import fold
from scorer.match.seen_shot import SeenShot
from scorer.rules.choices import Format


def begin(*rounds: tuple[int, int], games: int = 1, **options: object) -> list[Event]:
    """A match with rounds of these points, entered by hand."""
    setup = MatchStarted(
        rules="nca",
        format=Format.TWO,
        players=("Ann", "Bob"),
        options=tuple(options.items()),
        games=games,
    )
    scored = (RoundScored(points=points, twenties=(0, 0)) for points in rounds)
    return [setup, *scored]


def chances(log: list[Event], gains: dict[int, float], end: float) -> list[float]:
    """The chances after a round that side 0 wins by ``end`` points."""
    state = fold(log)
    found = MatchChances(state.setup, lambda _: gains).find(state, np.array([end]))
    assert found is not None
    return [round(value, 9) for value in found[0].tolist()]


EVEN = {20: 0.5, -20: 0.5}


def test_who_reaches_the_goal_has_won() -> None:
    assert chances(begin((90, 0)), EVEN, 10) == [1, 0, 0]
    assert chances(begin((90, 0)), EVEN, -100) == [0, 0, 1]


def test_even_sides_have_even_chances_and_a_lead_is_worth_what_is_left_to_play() -> None:
    assert chances(begin(), EVEN, 0) == [0.5, 0, 0.5]
    # 80 to 80: the next round decides. 80 to 60: Bob must win twice.
    assert chances(begin((80, 0)), EVEN, -80) == [0.5, 0, 0.5]
    assert chances(begin((80, 0)), EVEN, -60) == [0.75, 0, 0.25]


def test_rounds_that_change_nothing_are_played_again() -> None:
    tied = {0: 0.5, 20: 0.5 * 0.75, -20: 0.5 * 0.25}
    assert chances(begin((80, 0)), tied, -80) == [0.75, 0, 0.25]


def test_match_play_counts_two_for_a_round_and_one_each_for_a_tie() -> None:
    log = begin((20, 0), (20, 0), (20, 0), round_score="match-play")
    assert chances(log, EVEN, 5) == [1, 0, 0]
    assert chances(log, {20: 1.0}, 0) == [1, 0, 0]
    assert chances(log, EVEN, -5) == [1 - 0.5**3, 0, 0.5**3]


def test_a_best_of_three_and_a_number_of_rounds_end_when_they_are_decided() -> None:
    best = begin((20, 0), game_end="best-of", best_of=3)
    assert chances(best, EVEN, 5) == [1, 0, 0]
    assert chances(best, EVEN, -5) == [0.5, 0, 0.5]
    four = begin((20, 0), (20, 0), (0, 20), game_end="rounds", game_rounds=4)
    assert chances(four, EVEN, 0) == [1, 0, 0]
    assert chances(four, EVEN, -20) == [0.5, 0, 0.5]  # tied: a shoot-out


def test_later_games_count_too() -> None:
    assert chances(begin((100, 0), games=3), EVEN, 100) == [1, 0, 0]
    assert chances(begin((100, 0), games=3), EVEN, -100) == [0.5, 0, 0.5]


def test_nobody_can_say_where_each_side_keeps_its_own_points() -> None:
    state = fold(begin(round_score="simple"))
    assert MatchChances(state.setup, lambda _: EVEN).find(state, np.zeros(1)) is None


@pytest.fixture(scope="module")
def log() -> list[Event]:
    return simulate_match(2, discs=4)


def test_every_shot_of_a_logged_match_has_its_chances(log: list[Event]) -> None:
    analysis = analyse_match(log)
    assert len(analysis.shots) == 16
    assert [shot.number for shot in analysis.shots[:9]] == [1, 2, 3, 4, 5, 6, 7, 8, 1]
    assert analysis.shots[0].kind is ShotKind.OPEN
    assert [shot.is_last for shot in analysis.shots[6:9]] == [False, True, False]
    for shot in analysis.shots:
        assert shot.before is not None
        assert shot.before.chances is not None
        assert sum(shot.before.chances) == pytest.approx(1.0)
        assert 0 <= shot.change_sigma < 0.05
    swings = [abs(shot.change or 0) for shot in analysis.swings]
    assert swings == sorted(swings, reverse=True)
    first = analysis.shots[0].before
    assert first is not None
    assert first.chances is not None
    assert first.chances.win == pytest.approx(0.5, abs=0.05)


def test_shots_of_one_round_add_up_to_its_result(log: list[Event]) -> None:
    shots = analyse_match(log).shots[:8]
    whole = sum((shot.gain or 0.0) * (-1 if shot.side else 1) for shot in shots)
    first, last = shots[0].before, shots[-1].after
    assert first is not None
    assert last is not None
    points = fold(log).rounds[0].points
    assert last.lead == points[0] - points[1]
    assert whole == pytest.approx(last.lead - first.lead)


def test_without_places_and_of_shots_that_nobody_saw_there_are_no_figures(
    log: list[Event],
) -> None:
    plain = [
        replace(event, board=tuple(replace(disc, place_mm=None) for disc in event.board))
        if hasattr(event, "verdict")
        else event
        for event in log
    ]
    known = [shot.change is not None for shot in analyse_match(plain).shots]
    assert not all(known)
    doubtful = [
        replace(event, verdict="needs_review") if hasattr(event, "verdict") else event
        for event in log
    ]
    assert all(shot.change is None for shot in analyse_match(doubtful).shots)


@pytest.mark.parametrize(
    ("is_walled", "kind"), [(True, ShotKind.HIDE), (False, ShotKind.OTHER)], ids=["behind", "open"]
)
def test_a_disc_that_the_next_shooter_cannot_hit_straight_is_a_hidden_one(
    is_walled: bool, kind: ShotKind
) -> None:
    """Bob's last disc is behind three of his own, seen from anywhere on Ann's line."""
    target = np.array([0.0, 150.0])
    starts = 304.8 * np.array([[-0.79, -0.62], [0.0, -1.0], [0.79, -0.62]])
    ways = (starts - target) / np.hypot(*(starts - target).T)[:, None]
    places = [
        *(target + 70 * ways if is_walled else target + np.array([[100, 0], [-100, 0], [0, 90]]))
    ]
    board = [DiscInZone(id="a", side=0, zone=5, place_mm=(150.0, -220.0), sigma_mm=0.2)]
    log: list[Event] = [MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))]
    for k, place in enumerate([*places, target]):
        seen = SeenShot(start_mm=(0.0, -304.8))
        log.append(
            ShotPlayed(player=0, verdict="legal", board=tuple(board), twenties=(0, 0), seen=seen)
        )
        at = (float(place[0]), float(place[1]))
        board.append(DiscInZone(id=f"b{k}", side=1, zone=10, place_mm=at, sigma_mm=0.2))
        log.append(ShotPlayed(player=1, verdict="legal", board=tuple(board), twenties=(0, 0)))
    assert analyse_match(log).shots[-1].kind is kind


def test_partners_are_two_sides_and_three_alone_have_no_figures() -> None:
    for form, players, is_known in (
        (Format.TEAMS, ("Ann", "Bob", "Eve", "Kim"), True),
        (Format.THREE_SETS, ("Ann", "Bob", "Eve"), False),
    ):
        log: list[Event] = [MatchStarted(rules="nca", format=form, players=players)]
        for player in range(len(players)):
            lying = tuple(
                DiscInZone(
                    id=f"d{k}",
                    side=k % (2 if is_known else 3),
                    zone=5,
                    place_mm=(250.0 - 60 * k, 0.0),
                )
                for k in range(player + 1)
            )
            nobody = (0,) * (2 if is_known else 3)
            log.append(ShotPlayed(player=player, verdict="legal", board=lying, twenties=nobody))
        shots = analyse_match(log).shots
        assert [shot.side for shot in shots] == ([0, 1, 0, 1] if is_known else [0, 1, 2])
        assert all((shot.change is not None) == is_known for shot in shots)
