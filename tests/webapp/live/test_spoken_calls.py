"""Calls shown and spoken in a room: every event once, in players' words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from played_matches import shot
from watch_events import (
    BLACK,
    RED,
    blind_event,
    board_event,
    disc,
    in_zone,
    round_event,
    shot_event,
    twenty_event,
)

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.json_text import to_plain
from calibration.phrase import Phrase
from scorer.match.events import (
    Disputed,
    Event,
    FoulCalled,
    MatchStarted,
    RoundCorrected,
    RoundScored,
    Ruled,
    TimeRanOut,
    TwentyCounted,
    Undone,
)
from scorer.referee.events import from_json, to_json
from scorer.referee.make_events import see_disc
from scorer.rules.checks import Fault
from scorer.rules.choices import CalledFoul, ContactRule, Format, OpenDisc, WrongPlace
from scorer.rules.fault_codes import FaultCode
from scorer.rules.judge_shot import Verdict
from scorer.store import Store
from webapp.http.event_broker import EventBroker
from webapp.language.catalogue import load_words
from webapp.language.translated_json import word_json
from webapp.live.clip_store import ClipStore
from webapp.live.match_recorder import MatchRecorder
from webapp.live.ruling_messages import (
    CALLED_FOULS,
    describe_evidence,
    describe_fault,
    describe_removal,
)
from webapp.live.scoreboard import Scoreboard
from webapp.live.spoken_calls import say_partners

BOARD, DISC = BoardSpec(), DiscSpec()


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Scoreboard]:
    with Store(str(tmp_path / "m.db")) as store:
        yield Scoreboard(store, EventBroker())


@pytest.fixture
def recorder(board: Scoreboard) -> Iterator[MatchRecorder]:
    shots = ClipStore(None)
    recorder = MatchRecorder(board, board._store, shots)
    recorder.on_start("clip")
    recorder.on_event(board_event())
    yield recorder
    shots.close()


def begin(board: Scoreboard, **more: Any) -> int:
    setup = MatchStarted(
        rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("red", "black"), **more
    )
    return board.begin(setup)


def called(board: Scoreboard) -> tuple[str, str, str]:
    call = to_plain(board.state)["call"]
    return call["kind"], call["words"], call["spoken"]


@pytest.mark.parametrize(
    ("events", "kind", "words", "spoken"),
    [
        pytest.param([TwentyCounted(side=0)], "twenty", "Ann", "Twenty, Ann.", id="a 20"),
        pytest.param(
            [RoundScored(points=(45, 30), twenties=(0, 0))],
            "round",
            "Ann 45, Bob 30",
            "Ann 45, Bob 30. Ann needs 85. Hammer: Ann.",
            id="a round",
        ),
        pytest.param(
            [RoundScored(points=(120, 10), twenties=(0, 0))],
            "win",
            "Ann 110, Bob 0",
            "Ann 120, Bob 10. Ann wins the match.",
            id="the match",
        ),
        pytest.param(
            [FoulCalled(player=1, foul=CalledFoul.ONE_CHEEK)],
            "foul",
            "Bob left the chair.",
            "Foul: Bob left the chair.",
            id="a foul called by a person",
        ),
        pytest.param(
            [FoulCalled(player=1, foul=CalledFoul.NO_CONTACT)],
            "foul",
            "Bob did not touch an opponent's disc.",
            (
                "Foul: Bob did not touch an opponent's disc. Remove the shooting disc and every "
                "disc it touched. A 20 from this shot does not count."
            ),
            id="a foul of a shot, with what it costs",
        ),
        pytest.param(
            [Disputed(about="Is it a 15?")], "dispute", "Is it a 15?", "Dispute.", id="a dispute"
        ),
        pytest.param(
            [Disputed(about="Is it a 15?"), Ruled(dispute=1, decision="It is a 10.")],
            "ruling",
            "It is a 10.",
            "Ruling: It is a 10.",
            id="a ruling",
        ),
        pytest.param(
            [TimeRanOut()],
            "time",
            "",
            "Time is up. The side with fewer shots takes one more, then the round is scored.",
            id="time out in a round kept by hand",
        ),
        pytest.param(
            [shot(0), TimeRanOut()],
            "time",
            "",
            "Time is up. Bob takes one more shot, then the round is scored.",
            id="time out after one shot",
        ),
        pytest.param(
            [shot(0), shot(1), TimeRanOut()],
            "time",
            "",
            "Time is up and both sides have had the same number of shots. The round can be scored.",
            id="time out with equal turns",
        ),
        pytest.param(
            [TwentyCounted(side=1), TwentyCounted(side=1, change=-1)],
            "correction",
            "Bob: a 20 removed",
            "",
            id="a 20 taken back",
        ),
        pytest.param(
            [RoundScored(points=(45, 30), twenties=(0, 0)), Undone()],
            "correction",
            "Ann 0, Bob 0",
            "Corrected. Ann 0, Bob 0.",
            id="undone",
        ),
        pytest.param(
            [
                RoundScored(points=(45, 30), twenties=(0, 0)),
                RoundCorrected(round=1, points=(45, 40), twenties=(0, 0)),
            ],
            "correction",
            "Ann 5, Bob 0",
            "Corrected. Ann 5, Bob 0.",
            id="a round corrected",
        ),
    ],
)
def test_entry_of_a_match_is_called(
    board: Scoreboard, events: list[Event], kind: str, words: str, spoken: str
) -> None:
    number = begin(board)
    for event in events:
        board.append(number, event)
    assert called(board) == (kind, words, spoken)


def test_older_match_is_not_called(board: Scoreboard) -> None:
    older = begin(board)
    begin(board)
    board.append(older, TwentyCounted(side=0))
    assert to_plain(board.state)["call"] is None


def test_alarm_is_called_unless_the_match_is_scored_by_hand(
    board: Scoreboard, recorder: MatchRecorder
) -> None:
    recorder.on_event(blind_event("the board is hidden", "Look at it."))
    spoken = "Not refereeing. The board is hidden."
    assert called(board) == ("alarm", "The board is hidden.", spoken)
    board.append(begin(board), RoundScored(points=(45, 30), twenties=(0, 0)))
    recorder.on_event(blind_event("the board is hidden", "Look at it."))
    assert called(board)[0] == "round"


def test_foul_that_was_seen_is_called_with_what_goes(
    board: Scoreboard, recorder: MatchRecorder
) -> None:
    begin(board)
    fault = Fault(code=FaultCode.NO_CONTACT, rule="NCA", evidence={"touched": []})
    gone = in_zone("d1", RED, 10)
    recorder.on_event(shot_event(0, RED, gone, verdict=Verdict.FOUL, faults=[fault], remove=[gone]))
    words = "Ann did not touch an opponent's disc."
    assert called(board) == ("foul", words, "Foul: no contact. Remove red.")


def test_foul_of_a_round_without_a_match_is_called_by_colour(
    board: Scoreboard, recorder: MatchRecorder
) -> None:
    fault = Fault(code=FaultCode.NO_CONTACT, rule="NCA", evidence={"touched": []})
    recorder.on_event(shot_event(0, BLACK, verdict=Verdict.FOUL, faults=[fault]))
    assert called(board)[1:] == ("Black did not touch an opponent's disc.", "Foul: no contact.")


@pytest.mark.parametrize("has_match", [True, False])
def test_twenty_and_round_that_were_seen_are_called_once(
    board: Scoreboard, recorder: MatchRecorder, has_match: bool
) -> None:
    if has_match:
        begin(board, options=(("discs_singles", 1),))
        recorder.on_event(shot_event(0, RED))
        recorder.on_event(shot_event(1, BLACK))
    calls: list[dict[str, Any]] = []
    board.add_listener(lambda _event: calls.append(to_plain(board.state)["call"]))
    recorder.on_event(twenty_event(RED))
    recorder.on_event(round_event((20, 1), (0, 0), shots=2))
    spoken = list(dict.fromkeys((call["id"], call["spoken"]) for call in calls if call["spoken"]))
    names = ("Ann", "Bob") if has_match else ("red", "black")
    assert [words for _, words in spoken] == [
        f"Twenty, {names[0]}.",
        f"{names[0]} 20, {names[1]} 0." + (" Ann needs 80. Hammer: Ann." if has_match else ""),
    ]


def test_question_of_the_referee_is_called_once_though_it_becomes_a_dispute(
    board: Scoreboard, recorder: MatchRecorder
) -> None:
    begin(board)
    recorder.on_event(shot_event(0, RED, verdict=Verdict.NEEDS_REVIEW, question="Was it legal?"))
    assert to_plain(board.state)["match"]["disputes"]  # type: ignore[index]
    assert called(board) == ("question", "Was it legal?", "Needs a decision.")


def test_legal_shot_is_shown_and_not_spoken(board: Scoreboard, recorder: MatchRecorder) -> None:
    begin(board)
    recorder.on_event(shot_event(0, RED))
    assert called(board) == ("legal", "Ann", "")


def test_called_foul_stands_until_somebody_shoots(
    board: Scoreboard, recorder: MatchRecorder
) -> None:
    number = begin(board)
    board.append(number, FoulCalled(player=0, foul=CalledFoul.COACHING))
    foul = to_plain(board.state)["match"]["foul"]  # type: ignore[index]
    assert foul == {"player": "Ann", "words": "was coached", "penalty": None}
    recorder.on_event(shot_event(0, RED))
    assert to_plain(board.state)["match"]["foul"] is None  # type: ignore[index]


@pytest.mark.parametrize("code", list(FaultCode))
def test_every_fault_has_words(code: FaultCode) -> None:
    assert " " in describe_fault(Fault(code=code, rule="A rule", evidence={}))


def test_a_fault_of_a_newer_version_is_said_to_be_unknown(
    board: Scoreboard, recorder: MatchRecorder
) -> None:
    fault = Fault(code=FaultCode.NO_CONTACT, rule="A rule", evidence={})
    event = shot_event(0, RED, verdict=Verdict.FOUL, faults=[fault])
    event["faults"][0]["code"] = "too_slow"
    assert to_json(from_json(event)) == event
    recorder.on_event(event)
    verdict, call = board.state.live.verdict, board.state.call
    assert verdict is not None
    assert call is not None
    assert verdict.faults[0].words == (
        "committed a foul that this version of the program does not recognise"
    )
    assert call.spoken == "Foul: too slow."


@pytest.mark.parametrize("foul", list(CalledFoul))
def test_every_called_foul_has_words(foul: CalledFoul) -> None:
    assert not CALLED_FOULS[foul].endswith(".")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"code": "no_contact", "evidence": {}}, "did not touch an opponent's disc"),
        (
            {"code": "open_board", "evidence": {"discs": [{"short_by_mm": 12.34}, {}]}},
            "missed the centre of an open board, by 12 mm",
        ),
        (
            {"code": "placement", "evidence": {"why": "clear inside the line", "by_mm": 1.234}},
            "placed the disc completely inside the line, by 1.2 mm",
        ),
        (
            {"code": "placement", "evidence": {"why": "over a line of quadrant 2", "by_mm": 3.0}},
            "placed the disc over a quadrant line, by 3.0 mm",
        ),
        (
            {
                "code": "out_of_bounds",
                "evidence": {"why": "it overhangs the edge of the playing surface"},
            },
            "sent a disc out: it overhangs the edge of the playing surface",
        ),
    ],
)
def test_fault_is_told_in_words_of_players(fault: dict[str, Any], words: str) -> None:
    made = Fault(code=FaultCode(fault["code"]), rule="", evidence=fault["evidence"] or {})
    assert describe_fault(made) == words


EVIDENCE: tuple[tuple[dict[str, Any], str], ...] = (
    (
        {"disc": "black 2", "why": WrongPlace.CLEAR_INSIDE, "by_mm": 3.217},
        "disc black 2, completely inside the line, by 3.2 mm",
    ),
    (
        {
            "opponents": ["red 1", "dark wood 2"],
            "touched": [],
            "contacts": [["black 1", "black 2"], ["black 2", "outside"]],
            "asked": ContactRule.CHAIN.words,
        },
        "opponents' discs: red 1, dark wood 2, touched: none, "
        "contacts: black 1 and black 2, black 2 and outside, "
        "required: the shooting disc, or any disc in a chain it starts",
    ),
    (
        {
            "by": OpenDisc.SHOOTER_ONLY.words,
            "discs": [
                {"disc": "red 1", "state": "flat", "short_by_mm": 12.3},
                {"disc": "red 2", "state": "ditch"},
            ],
        },
        "by: only the shooting disc, "
        "discs: red 1 (on the board, short by 12.3 mm), red 2 (in the ditch)",
    ),
    ({"margin_mm": -0.04, "of_a_newer_version": 3}, "margin 0.0 mm"),
    ({}, ""),
)


@pytest.mark.parametrize(("evidence", "words"), EVIDENCE)
def test_evidence_reads_as_words(evidence: dict[str, Any], words: str) -> None:
    assert ", ".join(describe_evidence(evidence)) == words


@pytest.mark.parametrize("language", ["fr", "de"])
@pytest.mark.parametrize("evidence", [evidence for evidence, _ in EVIDENCE if evidence])
def test_evidence_is_worded_in_the_language_of_the_page(
    evidence: dict[str, Any], language: str
) -> None:
    words = load_words(language)
    for fact in describe_evidence(to_plain(evidence)):
        assert words.word(fact) != fact
        assert not re.search(r"\b(red|black|wood|the|by|and|none)\b", words.word(fact))


@pytest.mark.parametrize(
    ("gone", "stay", "words"),
    [
        ("", "rb", ""),
        ("r", "b", "Remove red."),
        ("rr", "b", "Remove 2 red."),
        ("rbr", "", "Remove 2 red and 1 black."),
        ("r", "rb", "Remove red at 12 o'clock."),
        ("rbr", "r", "Remove red at 12 o'clock and red at 6 o'clock and 1 black."),
        ("bbbbr", "r", "Remove red 20 cm out at 12 o'clock and 4 black."),
    ],
)
def test_removal_names_colours_and_places_where_others_of_the_colour_stay(
    gone: str, stay: str, words: str
) -> None:
    places = ((0.0, 150.0), (200.0, 0.0), (1.0, -90.0), (-200.0, 0.0), (0.0, 200.0), (0.0, 210.0))
    lying = [
        see_disc(disc(f"{letter} {x}", (RED, BLACK)["rb".index(letter)], (x, y)), BOARD, DISC)
        for letter, (x, y) in zip(gone + stay, places, strict=False)
    ]
    assert describe_removal(lying[: len(gone)], lying, {0: "red", 1: "black"}) == words


TIED_AFTER_ONE = (
    ("round_score", "match-play"),
    ("game_end", "rounds"),
    ("game_rounds", 1),
    ("end_tie", "both-win"),
)


def test_a_tied_match_has_no_winner_in_words_marks_or_calls(board: Scoreboard) -> None:
    number = begin(board, options=TIED_AFTER_ONE)
    board.append(number, RoundScored(points=(0, 0), twenties=(0, 0)))
    match = to_plain(board.state)["match"]
    assert match["is_over"]
    assert match["next"] == "The match is tied between Ann and Bob."
    assert match["winners"] == ["Ann", "Bob"]
    assert [side["is_winner"] for side in match["sides"]] == [False, False]
    assert called(board) == ("win", "Ann 1, Bob 1", "Ann 0, Bob 0. The match is tied.")
    assert (to_plain(board.state)["call"]["side"], to_plain(board.state)["call"]["title"]) == (
        None,
        "The match is tied",
    )


def test_a_question_without_words_is_called_once_and_another_dispute_is_called_after_it(
    board: Scoreboard, recorder: MatchRecorder
) -> None:
    number = begin(board)
    recorder.on_event(shot_event(0, RED, verdict=Verdict.NEEDS_REVIEW))
    assert called(board) == ("question", "Was the shot legal?", "Needs a decision.")
    board.append(number, Disputed(about="Was the shot legal?"))
    assert called(board) == ("dispute", "Was the shot legal?", "Dispute.")


def test_partners_need_points_and_one_player_needs_them(board: Scoreboard) -> None:
    players = ("Ann", "Bob", "Cy", "Dee")
    number = board.begin(MatchStarted(rules="nca", format=Format.TEAMS, players=players))
    board.append(number, RoundScored(points=(45, 30), twenties=(0, 0)))
    assert "Ann and Cy need 85." in called(board)[2]


def test_partners_are_joined_by_a_word_in_the_readers_language() -> None:
    said = Phrase("%(name)s need %(needs)s.", name="Ann & Cid", needs=30)
    spoken = say_partners(said)
    assert spoken == "Ann and Cid need 30."
    assert isinstance(spoken, Phrase)
    french = {said.template: "Il manque %(needs)s à %(name)s.", " and ": " et "}
    assert spoken.word(lambda text: french.get(text, text)) == "Il manque 30 à Ann et Cid."


def test_titles_of_calls_are_translated(board: Scoreboard) -> None:
    number = begin(board)
    titles = []
    for event in (FoulCalled(player=0, foul=CalledFoul.ONE_CHEEK), TwentyCounted(side=0), Undone()):
        board.append(number, event)
        titles.append(word_json(to_plain(board.state), "fr")["call"]["title"])
    assert titles == ["Faute", "20", "Corrigé"]
