"""Events and goals in a few words: singulars for a single item, and faults as they are called
out.
"""

from __future__ import annotations

import pytest

from scorer.match.descriptions import describe_event, describe_goal
from scorer.match.events import DiscCorrected, DiscInZone, MatchStarted, RoundStarted, ShotPlayed
from scorer.match.fold import fold
from scorer.rules.choices import Format


def _begin(**options: str) -> MatchStarted:
    return MatchStarted(
        rules="nca", format=Format.TWO, players=("Ann", "Bob"), options=tuple(options.items())
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"game_end": "rounds", "game_rounds": "1"}, "one round"),
        ({"game_end": "rounds", "game_rounds": "4"}, "4 rounds"),
        ({"game_end": "best-of", "best_of": "1"}, "one round"),
        ({"game_end": "best-of", "best_of": "3"}, "best of 3 rounds"),
    ],
)
def test_a_goal_of_one_round_is_singular(options: dict[str, str], words: str) -> None:
    assert describe_goal(fold([_begin(**options)]).setup) == words


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (None, "Round started"),
        (1, "Round started, 1 minute"),
        (20, "Round started, 20 minutes"),
    ],
)
def test_a_round_of_one_minute_is_singular(minutes: int | None, words: str) -> None:
    setup = fold([_begin()]).setup
    assert describe_event(setup, RoundStarted(minutes=minutes)) == words


@pytest.mark.parametrize(
    ("verdict", "faults", "words"),
    [
        ("foul", ("no_contact", "out_of_bounds"), "Bob: foul (no contact; out)"),
        ("foul", ("placement",), "Bob: foul (wrong placement)"),
        ("legal", (), "Bob: shot"),
    ],
)
def test_a_shot_s_faults_are_told_as_they_are_called(
    verdict: str, faults: tuple[str, ...], words: str
) -> None:
    shot = ShotPlayed(player=1, verdict=verdict, board=(), twenties=(0, 0), faults=faults)
    assert describe_event(fold([_begin()]).setup, shot) == words


@pytest.mark.parametrize(
    ("zone", "side", "words"),
    [
        (15, None, "Corrected: disc d3 is worth 15"),
        (None, 1, "Corrected: disc d3 is Bob's"),
        (15, 1, "Corrected: disc d3 is worth 15 and is Bob's"),
    ],
)
def test_a_disc_corrected_in_zone_and_side_names_both(
    zone: int | None, side: int | None, words: str
) -> None:
    event = DiscCorrected(disc="d3", zone=zone, side=side)
    assert describe_event(fold([_begin()]).setup, event) == words


def test_a_disc_that_a_camera_measured_is_named_by_its_place() -> None:
    """People do not see a disc's id on the board."""
    lying = DiscInZone(id="d3", side=0, zone=10, place_mm=(120.0, 70.0))
    event = DiscCorrected(disc="d3", zone=15)
    words = "Corrected: disc 14 cm out at 2 o'clock is worth 15"
    assert describe_event(fold([_begin()]).setup, event, [lying]) == words
