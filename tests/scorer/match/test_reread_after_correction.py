"""A corrected starter or colour changes the entries before it, or leaves them out with a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest
from played_matches import scored, shot, start

from scorer.match.events import (
    BoardCorrected,
    CameraSaw,
    Disputed,
    Event,
    Ruled,
    StarterChosen,
    StarterCorrected,
    StarterSeen,
    TwentyCounted,
)
from scorer.match.fold import fold
from scorer.match.reread_after_correction import as_seen, fit_anew, map_ruling
from scorer.match.sighting import Sighting, SightingKind

SETUP = start()
STARTER = fold([SETUP]).round.starter
SEEN = Sighting(what=SightingKind.TWENTY, colour="red")


def test_a_counted_shot_goes_to_the_corrected_starter() -> None:
    log = [SETUP, shot(STARTER)]
    corrected = fold([*log, StarterCorrected(player=1 - STARTER, round=1)])
    assert fold(log).round.shots[STARTER] == 1
    assert corrected.round.shots[1 - STARTER] == 1
    assert corrected.round.shot_count == 1
    assert not corrected.left_out


def test_an_entry_that_cannot_be_changed_to_fit_is_left_out_with_a_reason() -> None:
    chosen = StarterChosen(player=1 - STARTER)
    state = fold([SETUP, chosen, StarterCorrected(player=STARTER, round=1)])
    (left_out,) = state.left_out
    assert left_out.event == chosen
    assert left_out.reason.endswith(".")
    assert state.round.starter == STARTER


def test_a_score_entered_by_a_person_fits_a_round_without_its_shots() -> None:
    state = fold([SETUP, shot(STARTER)])
    event, fresh = fit_anew(scored(20, 0), state)
    assert event == scored(20, 0)
    assert fresh.round.shot_count == 0


def test_what_no_change_makes_fit_comes_back_unchanged() -> None:
    state = fold([SETUP])
    assert fit_anew(TwentyCounted(side=0), state) == (TwentyCounted(side=0), state)


@pytest.mark.parametrize(
    ("event", "seen"),
    [
        (TwentyCounted(side=0, sighting=SEEN), CameraSaw(sighting=SEEN)),
        (TwentyCounted(side=0), TwentyCounted(side=0)),
        (StarterSeen(player=1), None),
        (Disputed(about="?", by_camera=True), None),
        (Disputed(about="?"), Disputed(about="?")),
        (BoardCorrected(missed=1, board=(), about="?", by_camera=True), None),
    ],
)
def test_an_entry_of_the_camera_is_made_again_from_what_was_seen(
    event: Event, seen: Event | None
) -> None:
    assert as_seen(event) == seen


def test_a_ruling_follows_its_question_to_a_new_number() -> None:
    state = fold([SETUP, Disputed(about="first"), Disputed(about="second")])
    ruling = Ruled(dispute=1, decision="yes")
    assert map_ruling(ruling, state.disputes[1], state) == replace(ruling, dispute=2)
    assert map_ruling(ruling, replace(state.disputes[1], about="third"), state) is None
