"""Which rounds must be checked by a person."""

from __future__ import annotations

from dataclasses import replace

from rest_boards import BLACK, FIT, disc, rested, track

from scorer.rules.sets import rule_set
from vision.track.events import BoardFound, OutcomeUnseen, TrackerEvent
from webapp.referee.event_sentences import describe_event
from webapp.referee.live_referee import LiveReferee


def test_a_round_with_an_undecided_shot_says_that_its_score_must_be_checked() -> None:
    referee = LiveReferee(rule_set("nca"))
    for rest in (rested([], []), rested([], [disc(30, 80)])):
        list(referee.handle_event(rest))
    ended = next(each for each in referee.end(4.0) if each["type"] == "round")
    assert ended["needs_review"]
    assert "shot 1" in ended["doubts"][0]
    assert any("check this score" in words for words in describe_event(ended))


def test_a_round_whose_shots_were_all_decided_stands() -> None:
    waiting = disc(0, -304)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="0")
    referee = LiveReferee(rule_set("nca"))
    for rest in (rested([], [waiting]), rested([waiting], [disc(0, -40)], [mine])):
        list(referee.handle_event(rest))
    ended = next(each for each in referee.end(4.0) if each["type"] == "round")
    assert (ended["needs_review"], ended["doubts"]) == (False, [])


def test_a_round_in_which_a_disc_was_taken_off_unasked_says_so() -> None:
    """The players did what the rules ask; what they saw, the referee did not."""
    mine, other = disc(0, -40), disc(80, 60, BLACK)
    shots = [track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name=name) for name in ("1", "0")]
    referee = LiveReferee(rule_set("nca"))
    for rest in (
        rested([], [other]),
        rested([other], [other, disc(0, -304)]),
        rested([other, disc(0, -304)], [other, mine], [shots[0]]),
        rested([other, mine], [mine]),
        rested([mine], [disc(0, -304), mine]),
        rested([disc(0, -304), mine], [disc(0, -70), mine], [shots[1]]),
    ):
        list(referee.handle_event(rest))
    ended = next(each for each in referee.end(9.0) if each["type"] == "round")
    assert any("taken off before shot 2" in doubt for doubt in ended["doubts"])


def _end(*events: TrackerEvent) -> dict:
    """The round's event when the source ends after these."""
    referee = LiveReferee(rule_set("nca"))
    for each in events:
        list(referee.handle_event(each))
    return next(each for each in referee.end(4.0) if each["type"] == "round")


def test_a_round_whose_film_ends_in_mid_shot_is_doubtful() -> None:
    lying = rested([], [disc(0, 100, BLACK), disc(0, -304)])
    ended = _end(lying, OutcomeUnseen(t_s=3.4, t_from_s=3.1))
    assert ended["needs_review"]
    assert "after 3.1 s" in ended["doubts"][0]


def test_a_round_is_in_no_doubt_once_the_shots_end_was_seen_after_a_cut() -> None:
    waiting = disc(0, -304)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="0")
    ended = _end(
        rested([], [waiting]),
        OutcomeUnseen(t_s=3.4, t_from_s=3.1),
        rested([waiting], [disc(0, -40)], [mine]),
    )
    assert ended["doubts"] == []


def test_a_round_whose_board_changed_in_a_cut_is_doubtful() -> None:
    lying, other = disc(0, 100, BLACK), disc(80, 60)
    cut = replace(rested([lying], [other]), was_interrupted=True)
    ended = _end(rested([], [lying]), cut)
    assert ended["needs_review"]
    assert len(ended["doubts"]) == 2


def test_a_round_whose_film_ends_after_a_disc_went_unasked_is_doubtful() -> None:
    own, waiting, shot = disc(80, 60), disc(0, -304), disc(0, -40)
    mine = track([(0.0, -304.0 + 33.0 * i) for i in range(9)], name="1")
    ended = _end(
        rested([], [own, waiting]),
        rested([own, waiting], [own, shot], [mine]),
        rested([own, shot], [shot]),
    )
    assert ended["needs_review"]


def _see_first_board_after(seconds: float) -> dict:
    """The round's event of a film whose board first lay still so long after it came in sight."""
    found = BoardFound(t_s=0.0, fit=FIT, residual_mm=0.2, is_refound=False)
    return _end(found, replace(rested([], [disc(0, 100, BLACK)]), t_s=seconds))


def test_a_round_whose_board_never_lay_still_for_long_at_first_is_doubtful() -> None:
    assert _see_first_board_after(3.0)["doubts"] == []
    (doubt,) = _see_first_board_after(6.0)["doubts"]
    assert "never lay still before 6.0 s" in doubt


def test_a_film_whose_board_never_lay_still_says_so_at_its_end() -> None:
    referee = LiveReferee(rule_set("nca"))
    found = BoardFound(t_s=0.0, fit=FIT, residual_mm=0.2, is_refound=False)
    list(referee.handle_event(found))
    (told,) = referee.end(12.0)
    assert (told["type"], "never lay still" in told["reason"]) == ("not_refereeing", True)
