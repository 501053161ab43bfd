"""The effect of every event on a match, and impossible events."""

from __future__ import annotations

from dataclasses import replace

import pytest
from played_matches import PEOPLE, played, refused, scored, shot, shots, start

from scorer.match.events import (
    DiscCorrected,
    DiscInZone,
    Disputed,
    Event,
    FoulCalled,
    MatchStarted,
    RoundCorrected,
    RoundScored,
    RoundStarted,
    Ruled,
    ScoreSource,
    ShotPlayed,
    StarterChosen,
    TwentyCounted,
    Undone,
)
from scorer.match.fold import enter_event, fold
from scorer.rules.choices import CalledFoul, Format

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
    refused("Discs left to shoot: 2", *full_round()[:-2], RoundScored())


def test_20s_are_counted_apart() -> None:
    state = played(scored(40, 40, twenties=(2, 0)), scored(20, 5, twenties=(1, 0)))
    assert state.twenties == (3, 0)


def test_more_discs_than_were_shot_are_refused() -> None:
    two = (DiscInZone(id="a", side=0, zone=15), DiscInZone(id="c", side=0, zone=15))
    refused("2 discs counted", start(), shot(0, *two))
    refused("2 discs counted", start(), shot(0, two[0], twenties=(1, 0)))


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (scored(-5, 0), "negative"),
        (scored(5, 0, twenties=(-1, 0)), "negative"),
        (scored(7, 0), "multiple of 5"),
        (scored(125, 0), "do not add up"),
        (scored(15, 0, twenties=(1, 0)), "do not add up"),
        (scored(180, 0, twenties=(9, 0)), "Ann: 9 is too many 20s for 8 discs"),
        (scored(5), "for each side"),
        (RoundScored(), "Enter each side's points"),
        (StarterChosen(player=7), "no player 7"),
        (shot(0, DiscInZone(id="a", side=2, zone=5)), "which does not exist"),
        (shot(0, DiscInZone(id="a", side=0, zone=7)), "zone 7"),
        (shot(0, twenties=(0,)), "each side"),
        (Ruled(dispute=1, decision="no"), "no dispute 1"),
        (RoundCorrected(round=1, points=(0, 0), twenties=(0, 0)), "no round 1"),
        (DiscCorrected(disc="q", zone=5), "not on the board"),
        (DiscCorrected(disc="q"), "its zone or its side"),
        (Undone(), "nothing to undo"),
        (start(), "has started"),
    ],
    ids=lambda case: str(case)[:60],
)
def test_what_cannot_be_is_refused_in_one_sentence(event: Event, words: str) -> None:
    refused(words, start(), event)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (MatchStarted(rules="xx", format=Format.TWO, players=("A", "B")), "no rule set"),
        (MatchStarted(rules="nca", format=Format.TWO, players=("A",)), "2 players"),
        (MatchStarted(rules="nca", format=Format.TWO, players=("A", "A")), "a different name"),
        (
            MatchStarted(rules="nca", format=Format.FOUR_ALONE, players=PEOPLE),
            "cannot be played as",
        ),
        (MatchStarted(rules="nca", format=Format.TWO, players=("A", "B"), starter=2), "player 2"),
        (
            MatchStarted(
                rules="nca", format=Format.TWO, players=("A", "B"), options=(("reshoot_limit", 1),)
            ),
            "cannot be combined",
        ),
        (scored(5, 0), "Set up the match first"),
    ],
    ids=lambda case: str(case)[:60],
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
    refused("Dispute 1 is still open", *log, RoundScored())
    ruled = [*log, Ruled(dispute=1, decision="it does", zone=10), RoundScored()]
    assert fold(ruled).rounds[0].points == (30, 10)
    assert fold(ruled).disputes[0].decision == "it does"
    refused("is already settled", *ruled, Ruled(dispute=1, decision="no"))
    stands = [*log, Ruled(dispute=1, decision="it does not"), RoundScored()]
    assert fold(stands).rounds[0].points == (35, 10)


@pytest.mark.parametrize(
    ("rules", "foul", "known"),
    [
        ("mayday", CalledFoul.ONE_CHEEK, True),
        ("mayday", CalledFoul.COACHING, False),
        ("cogitate", CalledFoul.MOVED_BOARD, True),
        ("traditional", CalledFoul.ONE_CHEEK, False),
        ("traditional", CalledFoul.MOVED_CHAIR, False),
        ("mayday", CalledFoul.HELD_DISCS, True),
        ("mayday", CalledFoul.EARLY_DISC, True),
        ("mayday", CalledFoul.MOVED_DISC, True),
        ("nca", CalledFoul.TOO_SOON, True),
        ("nca", CalledFoul.HELD_DISCS, False),
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
        refused("not a foul in these rules", *log, call)


def test_the_variation_of_the_traditional_rules_keeps_chairs_and_players_in_place() -> None:
    log = start("traditional", called_fouls=["moved-board", "moved-chair", "not-seated"])
    for foul in (CalledFoul.MOVED_CHAIR, CalledFoul.NOT_SEATED):
        assert enter_event([log], FoulCalled(player=0, foul=foul)).fouls[0].foul is foul


def test_a_foul_that_earlier_rules_knew_stays_in_its_log() -> None:
    call = FoulCalled(player=0, foul=CalledFoul.MOVED_CHAIR)
    assert fold([start("traditional"), call]).fouls == (call,)


def test_a_called_foul_removes_only_what_is_there() -> None:
    refused("not on the board", start(), FoulCalled(player=0, foul=CalledFoul.AID, removed=("q",)))


def test_reshoots_use_up_no_disc_and_are_limited() -> None:
    log: list[Event] = [start("mayday", reshoot="agreed", reshoot_limit=1)]
    again = ShotPlayed(player=0, verdict="foul", board=(), twenties=(0, 0), reshoot=True)
    state = fold([*log, again])
    assert (state.turn, state.discs_left) == (0, (12, 12))
    refused("No re-shoots left", *log, again, again)
    refused("No re-shoots left", start("mayday"), again)


@pytest.mark.parametrize(
    ("rules", "reshoot", "shots_before", "verdict", "faults", "words"),
    [
        ("cogitate", "met-no-disc", 1, "foul", ("no_contact",), None),
        ("cogitate", "met-no-disc", 1, "foul", ("placement", "no_contact"), None),
        (
            "cogitate",
            "met-no-disc",
            1,
            "foul",
            ("open_board",),
            "do not allow a free shot to be repeated",
        ),
        (
            "cogitate",
            "met-no-disc",
            0,
            "foul",
            ("open_board",),
            "do not allow a free shot to be repeated",
        ),
        (
            "cogitate",
            "met-no-disc",
            0,
            "foul",
            ("no_contact",),
            "do not allow a free shot to be repeated",
        ),
        ("cogitate", "met-no-disc", 1, "foul", ("placement",), "Enter no_contact"),
        ("cogitate", "met-no-disc", 1, "foul", (), "Enter no_contact"),
        ("cogitate", "met-no-disc", 1, "legal", (), "Only an invalid shot"),
        (
            "nca",
            "met-no-disc",
            1,
            "foul",
            ("open_board",),
            "do not allow a free shot to be repeated",
        ),
        ("mayday", "agreed", 0, "foul", ("open_board",), None),
        ("mayday", "agreed", 1, "foul", ("no_contact",), None),
        ("mayday", "agreed", 1, "foul", (), None),
        ("mayday", "agreed", 1, "legal", (), "Only an invalid shot"),
        ("mayday", "agreed", 1, "needs_review", (), "Only an invalid shot"),
    ],
)
def test_a_shot_is_shot_again_only_where_the_rules_let_it(
    rules: str,
    reshoot: str,
    shots_before: int,
    verdict: str,
    faults: tuple[str, ...],
    words: str | None,
) -> None:
    log = shots([start(rules, reshoot=reshoot, reshoot_limit=2)], shots_before)
    again = ShotPlayed(
        player=shots_before,
        verdict=verdict,
        faults=faults,
        board=(),
        twenties=(0, 0),
        reshoot=True,
    )
    if words is not None:
        refused(words, *log, again)
        assert fold([*log, again]).round.reshoots[shots_before] == 1  # a log of an earlier version
    else:
        assert enter_event(log, again).turn == shots_before


def test_round_has_a_beginning_and_a_time() -> None:
    begun = played(RoundStarted(minutes=20))
    assert (begun.round.has_started, begun.round.minutes) == (True, 20)
    refused("already started", start(), RoundStarted(), RoundStarted())
    refused("Enter 1 to", start(), RoundStarted(minutes=0))
    again = played(RoundStarted(), scored(40, 20))
    assert not again.round.has_started


def test_twenties_are_counted_by_hand_one_by_one() -> None:
    counted = played(TwentyCounted(side=1), TwentyCounted(side=1), TwentyCounted(side=1, change=-1))
    assert counted.round.twenties == (0, 1)
    refused("20s in a round must be from 0 to 8", start(), TwentyCounted(side=0, change=-1))
    refused("one side", start(), TwentyCounted(side=2))
    refused("Add or remove one 20", start(), TwentyCounted(side=0, change=3))
    refused("but only 1 shot", start(), shot(0), TwentyCounted(side=0), TwentyCounted(side=0))
    assert played(TwentyCounted(side=0), scored(60, 20)).round.twenties == (0, 0)


def test_a_photographed_round_teaches_the_match_its_colours_until_it_is_undone() -> None:
    first = RoundScored(points=(60, 30), twenties=(0, 0), colours=("red", "blue"))
    log = [start(), first]
    assert fold(log).setup.colours == ("red", "blue")
    swapped = RoundCorrected(
        round=1, points=(30, 60), twenties=(0, 0), corrections=("swapped",), colours=("blue", "red")
    )
    assert fold([*log, swapped]).setup.colours == ("blue", "red")
    assert fold([*log, swapped, Undone()]) == fold(log)
    assert fold([*log, Undone()]).setup.colours == ()
    refused("its own colour", start(), replace(first, colours=("red", "red")))
