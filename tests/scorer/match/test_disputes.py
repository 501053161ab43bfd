"""A question about a round is asked once, settled once, and may change the score."""

from __future__ import annotations

from dataclasses import replace

import pytest
from played_matches import start

from scorer.match.disputes import open_dispute, settle_dispute
from scorer.match.endings import score_round
from scorer.match.events import DiscInZone, Disputed, MatchError, RoundScored, Ruled
from scorer.match.fold import fold
from scorer.match.state import MatchState

STATE = fold([start("nca", "two")])
BOARD = (DiscInZone(id="a", side=0, zone=5), DiscInZone(id="b", side=1, zone=10))


@pytest.fixture
def waiting() -> MatchState:
    """A scored round that waits for the answer to a question about disc a."""
    asked = open_dispute(STATE, Disputed(about="Is a in the 15?", disc="a", by_camera=True))
    scored = RoundScored(points=(5, 10), twenties=(0, 0), waits=True, board=BOARD)
    return score_round(asked, scored)


def test_a_round_with_an_open_question_is_worth_nothing_yet(waiting: MatchState) -> None:
    assert waiting.rounds[0].is_open
    assert waiting.totals == (0, 0)
    assert waiting.find_open_dispute(1) == 1


def test_a_ruling_moves_the_disc_and_closes_the_round(waiting: MatchState) -> None:
    ruled = settle_dispute(waiting, Ruled(dispute=1, decision="It is.", zone=15))
    assert ruled.rounds[0].points == (15, 10)
    assert not ruled.rounds[0].is_open
    assert ruled.totals == (5, 0)  # the difference


def test_a_ruling_may_add_a_twenty_that_nobody_counted(waiting: MatchState) -> None:
    ruled = settle_dispute(waiting, Ruled(dispute=1, decision="It fell in.", twenties=(1, 0)))
    assert (ruled.rounds[0].points, ruled.rounds[0].twenties) == ((25, 10), (1, 0))


def test_a_question_is_ruled_on_once(waiting: MatchState) -> None:
    ruling = Ruled(dispute=1, decision="It is.")
    with pytest.raises(MatchError):
        settle_dispute(settle_dispute(waiting, ruling), ruling)
    with pytest.raises(MatchError):
        settle_dispute(waiting, replace(ruling, dispute=2))


def test_a_ruling_that_changes_a_zone_needs_a_disc() -> None:
    asked = open_dispute(STATE, Disputed(about="Somebody sneezed."))
    with pytest.raises(MatchError):
        settle_dispute(asked, Ruled(dispute=1, decision="Yes.", zone=10))
