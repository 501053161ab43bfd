"""The values of rounds, the ends of games and matches, and the consequences of time running out."""

from __future__ import annotations

import pytest
from played_matches import played, refused, scored, shot, shots, start

from scorer.match.events import Event, RoundScored, ShootoutPlayed, TimeRanOut
from scorer.match.fold import fold
from scorer.match.scoring import round_value
from scorer.match.turns import player_to_shoot, sides_of
from scorer.rules.choices import Format
from scorer.rules.names import RuleSetName
from scorer.rules.sets import rule_set

# The values of rounds


@pytest.mark.parametrize(
    ("options", "points", "value"),
    [
        pytest.param({}, (60, 45), (15, 0), id="difference to the higher side"),
        pytest.param({}, (45, 45), (0, 0), id="difference: a tie adds nothing"),
        pytest.param({"round_score": "simple"}, (60, 45), (60, 45), id="simple: each its own"),
        pytest.param({"round_score": "one-to-winner"}, (60, 45), (1, 0), id="one to the winner"),
        pytest.param({"round_score": "one-to-winner"}, (45, 45), (0, 0), id="one: a tie is none"),
        pytest.param({"round_score": "match-play"}, (45, 60), (0, 2), id="match play: 2 and 0"),
        pytest.param({"round_score": "match-play"}, (45, 45), (1, 1), id="match play: 1 each"),
        pytest.param({}, (50, 40, 30), (2, 1, 0), id="places: 2, 1, 0"),
        pytest.param({}, (50, 50, 30), (1, 1, 0), id="places: level for first"),
        pytest.param({}, (50, 30, 30), (2, 0, 0), id="places: level for second"),
        pytest.param({}, (30, 30, 30), (1, 1, 1), id="places: all level"),
        pytest.param({"alone_score": "simple"}, (50, 40, 30), (50, 40, 30), id="alone: own points"),
        pytest.param(
            {"alone_score": "over-lowest"}, (50, 40, 30, 35), (20, 10, 0, 5), id="over the lowest"
        ),
    ],
)
def test_a_round_is_worth(options, points, value) -> None:
    assert round_value(points, rule_set("nca", options).options) == value


# Ends


@pytest.mark.parametrize(
    ("rules", "options", "rounds", "winners"),
    [
        pytest.param("nca", {}, [(95, 0)], (), id="95 of 100 is not the end"),
        pytest.param("nca", {}, [(100, 0)], (0,), id="100 of 100 is"),
        pytest.param("cogitate", {"game_points": 50}, [(0, 50)], (1,), id="50"),
        pytest.param("nca", {"game_end": "rounds"}, [(20, 0)] * 3, (), id="3 of 4 rounds"),
        pytest.param("nca", {"game_end": "rounds"}, [(20, 0)] * 4, (0,), id="4 of 4 rounds"),
        pytest.param("mayday", {"round_score": "match-play"}, [(5, 0)] * 3, (), id="6 of 8"),
        pytest.param("mayday", {"round_score": "match-play"}, [(5, 0)] * 4, (0,), id="8 of 8"),
        pytest.param("cogitate", {"game_end": "best-of"}, [(5, 0)] * 2, (0,), id="2 of 3"),
        pytest.param(
            "cogitate", {"game_end": "best-of"}, [(5, 0), (0, 5), (0, 5)], (1,), id="2 of 3 in 3"
        ),
        pytest.param(
            "cogitate",
            {"game_end": "best-of"},
            [(5, 0), (5, 5), (5, 5)],
            (0,),
            id="1 of 3 and two ties",
        ),
        pytest.param(
            "cogitate", {"round_score": "simple"}, [(60, 55), (45, 60)], (1,), id="both past: more"
        ),
        pytest.param(
            "cogitate",
            {"round_score": "simple"},
            [(60, 50), (50, 60)],
            (0, 1),
            id="cogitate: level, both win",
        ),
        pytest.param(
            "mayday",
            {"round_score": "match-play"},
            [(5, 5)] * 8,
            (),
            id="mayday: level at 8, one more round",
        ),
        pytest.param(
            "mayday",
            {"round_score": "match-play"},
            [*[(5, 5)] * 8, (0, 5)],
            (1,),
            id="mayday: the determining round",
        ),
    ],
)
def test_a_game_ends(rules, options, rounds, winners) -> None:
    state = played(*(scored(*points) for points in rounds), rules=rules, **options)
    assert state.winners == winners


def test_a_level_game_is_decided_by_a_shootout_for_20s() -> None:
    level = [start(game_end="rounds", game_rounds=2), scored(50, 20), scored(20, 50)]
    assert fold(level).shootout == (0, 1)
    assert fold(level).turn is None
    refused("shoot-out", *level, scored(5, 0))
    refused("9 is too many 20s", *level, ShootoutPlayed(twenties=(9, 0)))
    refused("for each side", *level, ShootoutPlayed(twenties=(1,)))
    again = [*level, ShootoutPlayed(twenties=(3, 3))]
    assert fold(again).shootout == (0, 1)
    ended = fold([*again, ShootoutPlayed(twenties=(2, 3))])
    assert ended.winners == (1,)
    assert [(shootout.after_round, shootout.twenties) for shootout in ended.shootouts] == [
        (2, (3, 3)),
        (2, (2, 3)),
    ]
    refused("no shoot-out", start(), ShootoutPlayed(twenties=(1, 0)))


def test_the_end_is_looked_at_after_a_round_only() -> None:
    log: list[Event] = [start(game_points=20)]
    log = shots(log, 15)
    twenty = shot(1, twenties=(1, 1))
    assert not fold([*log, twenty]).is_over


def test_nothing_follows_the_end() -> None:
    refused("over", start(), scored(100, 0), scored(5, 0))
    refused("over", start(), scored(100, 0), shot(1))


def test_a_match_may_be_best_of_games() -> None:
    log = [start(games=3), scored(100, 0)]
    state = fold(log)
    assert (state.is_over, state.totals, len(state.games)) == (False, (0, 0), 1)
    assert fold([*log, scored(100, 0)]).winners == (0,)
    assert fold([*log, scored(0, 100)]).winners == ()
    assert fold([*log, scored(0, 100), scored(0, 100)]).winners == (1,)
    refused("odd", start(games=2))


# Time


@pytest.mark.parametrize(
    ("format_", "shot_count", "last"), [("two", 5, 6), ("two", 6, 6), ("teams", 5, 6)]
)
def test_when_time_runs_out_turns_are_made_equal(format_, shot_count, last) -> None:
    log = shots([start("nca", format_)], shot_count)
    log.append(TimeRanOut())
    state = fold(log)
    assert state.round.last_shot == last
    log = shots(log, last - shot_count)
    assert fold(log).turn is None
    assert len(fold([*log, RoundScored()]).rounds) == 1
    refused("is already up", *log, TimeRanOut())


@pytest.mark.parametrize("name", RuleSetName)
@pytest.mark.parametrize("format_", Format)
def test_time_out_at_any_shot_leaves_equal_turns_and_the_hammer_with_the_last_shooter(
    name: RuleSetName, format_: Format
) -> None:
    options = {"formats": sorted(map(str, Format)), "time_out": "equal-turns"}
    log: list[Event] = [start(name, format_, **options)]
    whole = fold(log)
    assert fold([*log, TimeRanOut()]).hammer == whole.hammer
    for _ in range(whole.round.last_shot):
        log = shots(log, 1)
        out: list[Event] = [*log, TimeRanOut()]
        last = fold(out)
        shooters = [last.turn]
        while (after := fold(out)).turn is not None:
            shooters.append(after.turn)
            out = shots(out, 1)
        played = [
            sum(after.round.shots[player] for player in side) for side in sides_of(Format(format_))
        ]
        assert len(set(played)) == 1
        assert 0 <= after.round.shot_count - last.round.shot_count < len(played)
        assert (
            last.hammer
            == after.hammer
            == player_to_shoot(Format(format_), last.round.starter, after.round.shot_count - 1)
        )
        assert len(fold([*out, RoundScored()]).rounds) == 1
        refused("both sides have had the same number of shots", *out, shot(last.hammer))


def test_rules_without_a_clock_have_no_time_to_run_out() -> None:
    refused("no clock", start("mayday"), TimeRanOut())
