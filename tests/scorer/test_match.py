"""Rounds, games and matches as a fold of events."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.match.events import (
    DiscCorrected,
    DiscInZone,
    Disputed,
    Event,
    FoulCalled,
    MatchError,
    MatchStarted,
    RoundCorrected,
    RoundScored,
    RoundStarted,
    Ruled,
    ScoreSource,
    ShootoutPlayed,
    ShotPlayed,
    StarterChosen,
    TimeRanOut,
    TwentyCounted,
    Undone,
    event_from_json,
    event_json,
)
from scorer.match.fold import append_event, fold
from scorer.match.scoring import check_round, round_value
from scorer.match.state import MatchState
from scorer.rules.options import CalledFoul, Format
from scorer.rules.sets import rule_set

PEOPLE = ("Ann", "Bob", "Cid", "Dee")
COUNT = {"two": 2, "two-v-one": 3, "three-sets": 3, "teams": 4, "four-alone": 4}


def start(rules: str = "nca", format_: str = "two", *, games: int = 1, **options: Any) -> Event:
    return MatchStarted(
        rules=rules,
        format=Format(format_),  # type: ignore[call-arg]
        players=PEOPLE[: COUNT[format_]],
        options=tuple(options.items()),
        games=games,
    )


def scored(*points: int, twenties: tuple[int, ...] | None = None) -> RoundScored:
    return RoundScored(points=points, twenties=twenties)


def played(*events: Event, rules: str = "nca", **options: Any) -> MatchState:
    return fold([start(rules, **options), *events])


def shot(player: int, *board: DiscInZone, twenties: tuple[int, ...] = (0, 0)) -> ShotPlayed:
    return ShotPlayed(player=player, verdict="legal", board=board, twenties=twenties)


def shots(log: list[Event], count: int) -> list[Event]:
    """The log with so many shots more that leave nothing, each by whose turn it is."""
    for _ in range(count):
        state = fold(log)
        assert state.turn is not None
        log = [*log, shot(state.turn, twenties=(0,) * len(state.setup.sides))]
    return log


def refused(words: str, *log: Event) -> None:
    with pytest.raises(MatchError, match=words) as error:
        fold(log)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


# Players, discs, turns


@pytest.mark.parametrize(
    ("rules", "format_", "discs"),
    [
        ("mayday", "two", (12, 12)),
        ("nca", "two", (8, 8)),
        ("mayday", "two-v-one", (12, 6, 6)),
        ("mayday", "three-sets", (12, 12, 12)),
        ("cogitate", "three-sets", (8, 8, 8)),
        ("nca", "teams", (6, 6, 6, 6)),
        ("family", "four-alone", (6, 6, 6, 6)),
    ],
    ids=str,
)
def test_each_player_has_the_discs_of_the_set(rules: str, format_: str, discs: Any) -> None:
    assert played(rules=rules, format_=format_).discs_left == discs


def test_singles_may_be_played_with_twelve() -> None:
    assert played(discs_singles=12).discs_left == (12, 12)


@pytest.mark.parametrize(
    ("rules", "format_", "turns", "hammer"),
    [
        ("nca", "two", [0, 1, 0, 1], 1),
        ("nca", "teams", [0, 1, 2, 3, 0], 3),
        ("mayday", "two-v-one", [0, 1, 0, 2, 0], 2),
        ("cogitate", "two-v-one", [0, 1, 0, 2, 0], 2),
        ("traditional", "two-v-one", [0, 1, 0, 2, 0], 2),
        ("mayday", "three-sets", [0, 1, 2, 0], 2),
        ("family", "four-alone", [0, 1, 2, 3, 0], 3),
    ],
    ids=str,
)
def test_turns_go_round_and_the_last_has_the_hammer(rules, format_, turns, hammer) -> None:
    log: list[Event] = [start(rules, format_)]
    assert fold(log).hammer == hammer
    for player in turns:
        assert fold(log).turn == player
        log = shots(log, 1)


@pytest.mark.parametrize("rules", ["mayday", "cogitate", "traditional", "family", "nca"])
def test_a_whole_round_is_as_many_shots_as_there_are_discs(rules: str) -> None:
    for format_ in rule_set(rules).options.formats:
        log: list[Event] = [start(rules, str(format_))]
        log = shots(log, sum(fold(log).discs_left))
        state = fold(log)
        assert (state.turn, set(state.discs_left)) == (None, {0})
        refused("score the round", *log, shot(0))


@pytest.mark.parametrize(
    ("rules", "format_", "starters"),
    [
        ("mayday", "two", [0, 1, 0, 1]),
        ("mayday", "teams", [0, 1, 2, 3]),
        ("traditional", "two", [0, 1, 0, 1]),
        ("traditional", "two-v-one", [0, 1, 0, 1]),
        ("cogitate", "three-sets", [0, 1, 2, 0]),
        ("nca", "teams", [0, 1, 2, 3]),
    ],
    ids=str,
)
def test_the_start_moves_on_after_every_round(rules, format_, starters) -> None:
    log: list[Event] = [start(rules, format_)]
    for starter in starters:
        assert fold(log).round.starter == starter
        log.append(scored(*[0] * len(fold(log).setup.sides)))


def test_the_loser_decides_who_starts_where_the_set_says_so() -> None:
    log = [start("cogitate", next_starter="loser-decides"), scored(50, 20)]
    assert fold([*log, StarterChosen(player=0)]).round.starter == 0
    assert fold(log).round.starter == 1
    level = [log[0], scored(20, 20), StarterChosen(player=0)]
    refused("clockwise", *level)
    refused("loser-decides", start("nca"), scored(50, 20), StarterChosen(player=0))


def test_a_draw_decides_the_first_round() -> None:
    assert played(StarterChosen(player=1)).turn == 1
    refused("has begun", start(), shot(0), StarterChosen(player=1))


def test_a_shot_by_the_wrong_player_is_refused() -> None:
    refused("It is Ann's turn, and not Bob's", start(), shot(1))


# What rounds are worth


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
    state = played(*(scored(*each) for each in rounds), rules=rules, **options)
    assert state.winners == winners


def test_a_level_game_is_decided_by_a_shootout_for_20s() -> None:
    level = [start(game_end="rounds", game_rounds=2), scored(50, 20), scored(20, 50)]
    assert fold(level).shootout == (0, 1)
    assert fold(level).turn is None
    refused("shoot-out", *level, scored(5, 0))
    refused("cannot have made 9", *level, ShootoutPlayed(twenties=(9, 0)))
    refused("for each side", *level, ShootoutPlayed(twenties=(1,)))
    again = [*level, ShootoutPlayed(twenties=(3, 3))]
    assert fold(again).shootout == (0, 1)
    assert fold([*again, ShootoutPlayed(twenties=(2, 3))]).winners == (1,)
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
    refused("ran out already", *log, TimeRanOut())


def test_rules_without_a_clock_have_no_time_to_run_out() -> None:
    refused("no clock", start("mayday"), TimeRanOut())


# Shots, 20s, scores from the board


def full_round() -> list[Event]:
    """A round of 16 shots that leaves Ann a 15 and a 20, Bob a 10."""
    log: list[Event] = [start()]
    board = (DiscInZone(id="a", side=0, zone=15),)
    log.append(shot(0, *board))
    board = (*board, DiscInZone(id="b", side=1, zone=10))
    log.append(shot(1, *board))
    log.append(shot(0, *board, twenties=(1, 0)))
    for k in range(13):
        log.append(shot((k + 1) % 2, *board))
    return log


def test_a_round_counts_itself_from_its_shots() -> None:
    state = fold([*full_round(), RoundScored(source=ScoreSource.SHOTS)])
    (result,) = state.rounds
    assert (result.points, result.twenties, result.value) == ((35, 10), (1, 0), (25, 0))
    assert (state.totals, state.twenties) == ((25, 0), (1, 0))


def test_a_round_is_not_scored_before_its_end() -> None:
    refused("2 discs are still to be shot", *full_round()[:-2], RoundScored())


def test_20s_are_counted_apart() -> None:
    state = played(scored(40, 40, twenties=(2, 0)), scored(20, 5, twenties=(1, 0)))
    assert state.twenties == (3, 0)


def test_more_discs_than_were_shot_are_refused() -> None:
    two = (DiscInZone(id="a", side=0, zone=15), DiscInZone(id="c", side=0, zone=15))
    refused("2 discs on the board", start(), shot(0, *two))
    refused("2 discs on the board", start(), shot(0, two[0], twenties=(1, 0)))


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (scored(-5, 0), "negative"),
        (scored(5, 0, twenties=(-1, 0)), "negative"),
        (scored(7, 0), "multiple of 5"),
        (scored(125, 0), "do not add up"),
        (scored(15, 0, twenties=(1, 0)), "do not add up"),
        (scored(180, 0, twenties=(9, 0)), "only 8 discs"),
        (scored(5), "for each side"),
        (RoundScored(), "give each side's points"),
        (StarterChosen(player=7), "no player 7"),
        (shot(0, DiscInZone(id="a", side=2, zone=5)), "which nobody plays"),
        (shot(0, DiscInZone(id="a", side=0, zone=7)), "zone 7"),
        (shot(0, twenties=(0,)), "every side"),
        (Ruled(dispute=1, decision="no"), "no dispute 1"),
        (RoundCorrected(round=1, points=(0, 0), twenties=(0, 0)), "no round 1"),
        (DiscCorrected(disc="q", zone=5), "not on the board"),
        (DiscCorrected(disc="q"), "its zone or its side"),
        (Undone(), "nothing to undo"),
        (start(), "has begun"),
    ],
    ids=lambda each: str(each)[:60],
)
def test_what_cannot_be_is_refused_in_one_sentence(event: Event, words: str) -> None:
    refused(words, start(), event)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (MatchStarted(rules="xx", format=Format.TWO, players=("A", "B")), "no rule set"),
        (MatchStarted(rules="nca", format=Format.TWO, players=("A",)), "2 players"),
        (MatchStarted(rules="nca", format=Format.TWO, players=("A", "A")), "differently"),
        (MatchStarted(rules="nca", format=Format.FOUR_ALONE, players=PEOPLE), "not played as"),
        (MatchStarted(rules="nca", format=Format.TWO, players=("A", "B"), starter=2), "player 2"),
        (
            MatchStarted(
                rules="nca", format=Format.TWO, players=("A", "B"), options=(("reshoot_limit", 1),)
            ),
            "cannot go together",
        ),
        (scored(5, 0), "begins with its setup"),
    ],
    ids=lambda each: str(each)[:60],
)
def test_a_match_that_cannot_begin_is_refused(event: Event, words: str) -> None:
    refused(words, event)


# Corrections, disputes, fouls, re-shoots


def test_a_disc_is_corrected_before_the_round_is_scored() -> None:
    log = full_round()
    ten = [*log, DiscCorrected(disc="a", zone=10), RoundScored()]
    assert fold(ten).rounds[0].points == (30, 10)
    black = [*log, DiscCorrected(disc="a", side=1), RoundScored()]
    assert fold(black).rounds[0].points == (20, 25)


def test_a_round_is_corrected_after_it_was_scored() -> None:
    log = [start(), scored(60, 30), scored(10, 20)]
    right = RoundCorrected(round=1, points=(30, 60), twenties=(0, 0))
    state = fold([*log, right])
    assert state.totals == (0, 40)
    assert fold([*log, right, Undone()]) == fold(log)
    refused("add up", *log, RoundCorrected(round=1, points=(995, 0), twenties=(0, 0)))


def test_a_dispute_holds_the_score_until_it_is_ruled_on() -> None:
    log = [*full_round(), Disputed(about="touches the line", disc="a")]
    refused("Dispute 1 is open", *log, RoundScored())
    ruled = [*log, Ruled(dispute=1, decision="it does", zone=10), RoundScored()]
    assert fold(ruled).rounds[0].points == (30, 10)
    assert fold(ruled).disputes[0].decision == "it does"
    refused("is settled", *ruled, Ruled(dispute=1, decision="no"))
    stands = [*log, Ruled(dispute=1, decision="it does not"), RoundScored()]
    assert fold(stands).rounds[0].points == (35, 10)


@pytest.mark.parametrize(
    ("rules", "foul", "known"),
    [
        ("mayday", CalledFoul.ONE_CHEEK, True),
        ("mayday", CalledFoul.COACHING, False),
        ("cogitate", CalledFoul.MOVED_BOARD, True),
        ("traditional", CalledFoul.ONE_CHEEK, False),
        ("traditional", CalledFoul.MOVED_CHAIR, True),
        ("family", CalledFoul.AID, True),
        ("nca", CalledFoul.COACHING, True),
    ],
    ids=str,
)
def test_a_person_calls_only_fouls_that_the_rules_know(rules, foul, known) -> None:
    log = [start(rules), shot(0, DiscInZone(id="a", side=0, zone=15))]
    call = FoulCalled(player=0, foul=foul, removed=("a",))
    if known:
        state = fold([*log, call])
        assert (state.fouls, state.round.board) == ((call,), ())
    else:
        refused("no foul of these rules", *log, call)


def test_a_called_foul_removes_only_what_is_there() -> None:
    refused("not on the board", start(), FoulCalled(player=0, foul=CalledFoul.AID, removed=("q",)))


def test_reshoots_use_up_no_disc_and_are_limited() -> None:
    log: list[Event] = [start("mayday", reshoot="agreed", reshoot_limit=1)]
    again = ShotPlayed(player=0, verdict="foul", board=(), twenties=(0, 0), reshoot=True)
    state = fold([*log, again])
    assert (state.turn, state.discs_left) == (0, (12, 12))
    refused("No re-shoot is left", *log, again, again)
    refused("No re-shoot is left", start("mayday"), again)


# The fold itself


@st.composite
def logs(draw: Any) -> list[Event]:
    """Any match of up to 40 events, each of which could be."""
    rules = draw(st.sampled_from(["mayday", "cogitate", "traditional", "family", "nca"]))
    format_ = draw(st.sampled_from(sorted(rule_set(rules).options.formats)))
    log: list[Event] = [start(rules, str(format_))]
    for _ in range(draw(st.integers(0, 40))):
        event = draw(_events(fold(log)))
        try:
            log = list(append_event(log, event))
        except MatchError:
            continue
    return log


@st.composite
def _events(draw: Any, state: MatchState) -> Event:
    count = len(state.setup.sides)
    points = st.tuples(*[st.integers(0, 36).map(lambda each: 5 * each)] * count)
    few = st.tuples(*[st.integers(0, 1)] * count)
    disc = st.builds(
        DiscInZone,
        id=st.sampled_from("abcdef"),
        side=st.integers(0, count - 1),
        zone=st.sampled_from([0, 5, 10, 15]),
    )
    board = st.lists(disc, max_size=4, unique_by=lambda each: each.id).map(tuple)
    turn = 0 if state.turn is None else state.turn
    return draw(
        st.one_of(
            st.builds(scored, *[st.integers(0, 12).map(lambda each: 5 * each)] * count),
            st.builds(RoundScored, points=points, twenties=few),
            st.builds(
                ShotPlayed,
                player=st.just(turn),
                verdict=st.just("legal"),
                board=board,
                twenties=few,
            ),
            st.just(Undone()),
            st.just(TimeRanOut()),
            st.builds(Disputed, about=st.text(max_size=5)),
            st.builds(Ruled, dispute=st.integers(1, 2), decision=st.just("so")),
            st.builds(RoundCorrected, round=st.integers(1, 3), points=points, twenties=few),
            st.builds(DiscCorrected, disc=st.sampled_from("abc"), zone=st.sampled_from([0, 10])),
            st.builds(ShootoutPlayed, twenties=few),
        )
    )


@settings(max_examples=40)
@given(logs())
def test_replaying_a_log_gives_the_same_state(log: list[Event]) -> None:
    assert fold(log) == fold(tuple(log))
    text = json.dumps([event_json(each) for each in log])
    again = [event_from_json(each) for each in json.loads(text)]
    assert again == log
    assert repr(fold(again)) == repr(fold(log))


@settings(max_examples=40)
@given(logs(), st.data())
def test_undoing_is_the_inverse_of_any_event(log: list[Event], data: Any) -> None:
    before = fold(log)
    try:
        longer = append_event(log, data.draw(_events(before).filter(lambda each: each != Undone())))
    except MatchError:
        return
    assert fold([*longer, Undone()]) == before


@settings(max_examples=40)
@given(logs())
def test_totals_never_exceed_what_the_discs_allow(log: list[Event]) -> None:
    state = fold(log)
    for result in state.rounds:
        check_round(result.points, result.twenties, state.setup.discs, state.setup.sides)
        assert all(p <= 20 * n for p, n in zip(result.points, state.setup.discs, strict=True))
        assert all(0 <= v <= max(2, p) for v, p in zip(result.value, result.points, strict=True))
    assert all(left >= 0 for left in state.discs_left)


@settings(max_examples=40)
@given(logs())
def test_a_log_is_only_ever_added_to(log: list[Event]) -> None:
    try:
        longer = append_event(log, Disputed(about="again"))
    except MatchError:
        return
    assert longer[: len(log)] == tuple(log)


@pytest.mark.parametrize(
    "content",
    [None, {}, {"type": "nothing"}, {"type": "shot_played"}, {"type": "undone", "more": 1},
     {"type": "round_scored", "points": ["x"]}, {"type": "match_started", "format": "solo"},
     {"type": "shot_played", "board": [{"id": 1}]}],
    ids=str,
)  # fmt: skip
def test_what_is_no_event_is_refused(content: Any) -> None:
    with pytest.raises(MatchError):
        event_from_json(content)


def test_round_has_a_beginning_and_a_time() -> None:
    begun = played(RoundStarted(minutes=20))
    assert (begun.round.has_started, begun.round.minutes) == (True, 20)
    refused("begun already", start(), RoundStarted(), RoundStarted())
    refused("from 1 to", start(), RoundStarted(minutes=0))
    again = played(RoundStarted(), scored(40, 20))
    assert not again.round.has_started


def test_twenties_are_counted_by_hand_one_by_one() -> None:
    counted = played(TwentyCounted(side=1), TwentyCounted(side=1), TwentyCounted(side=1, change=-1))
    assert counted.round.twenties == (0, 1)
    refused("from 0 to 8", start(), TwentyCounted(side=0, change=-1))
    refused("one side", start(), TwentyCounted(side=2))
    refused("one more or one less", start(), TwentyCounted(side=0, change=3))
    refused("shot 1", start(), shot(0), TwentyCounted(side=0), TwentyCounted(side=0))
    assert played(TwentyCounted(side=0), scored(60, 20)).round.twenties == (0, 0)
