"""Discs keep their names from one still board to the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.placed_disc import DiscState, PlacedDisc, Team
from scorer.referee.disc_identities import DiscNamer, NamedDisc, follow_split_team, match_discs

WHITE = Team(number=0, colour_rgb=(230, 230, 230), colour_name="white")
BLACK = Team(number=1, colour_rgb=(20, 20, 20), colour_name="black")


def disc(x: float, y: float, team: Team = WHITE) -> PlacedDisc:
    return PlacedDisc(
        centre_mm=np.array([x, y]),
        covariance_mm2=np.eye(2),
        team=team.number,
        state=DiscState.FLAT,
    )


def names(before: dict[str, PlacedDisc], now: list[PlacedDisc], **expected) -> list[str]:
    """The names of the discs ``now``, after a shot."""
    change = match_discs(
        [NamedDisc(name=name, disc=placed) for name, placed in before.items()],
        now,
        {name: np.array(place) for name, place in expected.items()},
        (WHITE, BLACK),
        DiscNamer(),
        after_shot=True,
    )
    return [named.name for named in change.now]


def test_discs_that_nobody_touched_keep_their_names() -> None:
    before = {"a": disc(0, 100), "b": disc(50, -80), "c": disc(0, 101, BLACK)}
    now = [disc(50, -80), disc(0, 101, BLACK), disc(0, 100)]
    assert names(before, now) == ["b", "c", "a"]


def test_moved_disc_is_found_where_it_was_seen_going() -> None:
    before = {"a": disc(0, 100), "b": disc(50, -80)}
    assert names(before, [disc(-200, 30), disc(50, -80)], a=(-199, 31)) == ["a", "b"]


def test_disc_that_never_moved_keeps_its_name_though_a_track_has_it_go_elsewhere() -> None:
    # From a clip: the track of the struck disc was assigned to one that never moved.
    before = {"still": disc(131, -89), "struck": disc(49, -50), "shot": disc(110, -284)}
    now = [disc(131, -89), disc(-40, 67), disc(79, -71)]
    expected = {"still": (-40, 68), "struck": (49, -50), "shot": (80, -70)}
    assert names(before, now, **expected) == ["still", "struck", "shot"]


def test_discs_of_a_team_that_was_two_keep_their_names() -> None:
    before = [
        NamedDisc(name="black 1", disc=disc(0, 90)),
        NamedDisc(name="black 2", disc=disc(80, 0)),
    ]
    told = follow_split_team(before, [disc(80.5, 0, BLACK), disc(0, 90), disc(-50, 60, BLACK)])
    assert [(named.name, named.disc.team) for named in told] == [("black 1", 0), ("black 2", 1)]


def test_names_are_counted_by_colour_so_that_no_two_discs_share_one() -> None:
    brown, red = (replace(WHITE, colour_name=name) for name in ("brown", "red"))
    other_red = replace(red, number=1)
    namer = DiscNamer()
    names = [namer.assign_name(team) for team in (brown, red, other_red)]
    assert names == ["brown 1", "red 1", "red 2"]
