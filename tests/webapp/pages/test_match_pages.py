"""A match's page over HTTP: its log, and the entries still in force."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from watch_events import RED, in_zone, shot_event

from calibration.json_text import to_plain
from scorer.match.events import (
    BoardCorrected,
    ColoursChosen,
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
    ShootoutPlayed,
    ShotPlayed,
    TwentyCounted,
    Undone,
    event_from_json,
    event_json,
)
from scorer.match.fold import fold
from scorer.rules.choices import CalledFoul, Format
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.live.questions import list_questions
from webapp.pages.match.match_form import parse_setup
from webapp.pages.match.match_log import describe_undo
from webapp.pages.match.presets import PRESETS
from webapp.sample_clips import DEMO_CLIP
from webapp.services import services_of


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = create_app(Config(database=str(tmp_path / "matches.db")))
    yield made
    close_app(made)


def log_lines(page: str) -> list[str]:
    """The lines of the page's log, newest first, as they are read."""
    (log,) = re.findall(r'<ol class="log".*?</ol>', page, re.DOTALL)
    lines = re.findall(r"<li.*?</li>", log, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", line).split()[1:]) for line in lines]


def test_a_shootout_stands_under_the_rounds(app: Flask) -> None:
    options = (("game_end", "rounds"), ("game_rounds", "1"))
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"), options=options)
    board = services_of(app).scoreboard
    number = board.begin(setup)
    board.append(number, RoundScored(points=(20, 20), twenties=(1, 1)))
    board.append(number, ShootoutPlayed(twenties=(3, 5)))
    page = app.test_client().get(f"/match/{number}").text
    rounds, shootout = page.split("<h2>Rounds</h2>")[1].split("</table>")[:2]
    assert "Ann 3 · Bob 5" not in rounds
    assert "Ann 3 · Bob 5" in shootout


def test_the_undo_button_stays_short_with_the_longest_names() -> None:
    players = (
        "Wilhelmina Abercrombie-Featherstonehaugh",
        "Maximiliana Konstantinopolitanische-Grau",
    )
    log: list[Event] = [MatchStarted(rules="nca", format=Format.TWO, players=players)]
    for event in (
        RoundScored(points=(20, 0), twenties=(1, 0)),
        RoundCorrected(round=1, points=(0, 20), twenties=(0, 1)),
        FoulCalled(player=0, foul=CalledFoul.ONE_CHEEK),
        Disputed(about="Is the disc on the left line a 15, or is it a 10?"),
        Ruled(dispute=1, decision="It is a 10, because it touches the line."),
    ):
        log.append(event)
        assert len(describe_undo(log) or "") in range(6, 20)


def test_the_undo_button_has_one_colon() -> None:
    log: list[Event] = [MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))]
    for event in (
        TwentyCounted(side=1),
        TwentyCounted(side=1, change=-1),
        ShotPlayed(player=0, verdict="legal", board=(), twenties=(1, 0)),
        ColoursChosen(colours=("red", "black"), round=1),
        RoundScored(points=(20, 0), twenties=(1, 0)),
    ):
        log.append(event)
        assert ":" not in (describe_undo(log) or ":")
    assert describe_undo(log[:2]) == "20 added for Bob"


def test_the_page_shows_whose_discs_have_which_colour_and_once_over_what_came_of_it(
    app: Flask,
) -> None:
    services = services_of(app)
    number = services.scoreboard.begin(
        MatchStarted(
            rules="nca",
            format=Format.TWO,
            players=("Ann", "Bob"),
            options=(("game_end", "rounds"), ("game_rounds", "1")),
            colours=("red", "natural"),
        )
    )
    scorer = app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services.secret.token}"
    page = scorer.get(f"/match/{number}").text
    for place in (r"<h2>", r"<legend>"):
        shown = re.findall(
            rf'{place}<svg class="dot"[^>]* aria-label="([\w ]+)">.*?</svg>(\w+)', page
        )
        assert shown == [("red", "Ann"), ("light wood", "Bob")]
    assert f'action="/match/{number}/foul"' in page
    services.scoreboard.append(number, RoundScored(points=(20, 5), twenties=(1, 0)))
    page = scorer.get(f"/match/{number}").text
    assert f'action="/match/{number}/foul"' not in page
    assert page.index("<h2>Rounds</h2>") < page.index("<h2>Dispute</h2>")


def test_an_empty_scoreboard_offers_what_whoever_looks_may_do(app: Flask) -> None:
    scorer = {"Authorization": f"Bearer {services_of(app).secret.token}"}
    for headers, first in (({}, "/join"), (scorer, "/match/new")):
        page = app.test_client().get("/", headers=headers).text
        empty = page.split('id="empty"')[1].split("</section>")[0]
        assert re.findall(r'href="(/[\w/]+)', empty) == [first, "/score"]


def test_a_draw_among_those_who_may_start_says_who_does(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {f"player{k}": name for k, name in enumerate(("Ann", "Bob", "Cid"))}
    form = {"rules": "cogitate", "format": "two-v-one", "starter": "draw", **names}
    drawn: list[tuple[int, ...]] = []
    monkeypatch.setattr("secrets.choice", lambda players: drawn.append(players) or players[-1])
    assert parse_setup(form).starter == 2
    assert parse_setup(form | {"rules": "mayday"}).starter == 2
    assert drawn == [(1, 2), (0, 1, 2)]


def test_only_what_was_undone_is_called_undone(app: Flask) -> None:
    board = services_of(app).scoreboard
    number = board.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob")))
    board.append(number, RoundScored(points=(45, 20), twenties=(1, 0)))
    board.append(number, Undone())
    board.append(number, RoundScored(points=(40, 20), twenties=(1, 0)))
    assert log_lines(app.test_client().get(f"/match/{number}").text) == [
        "Round scored: Ann 40, Bob 20 (counted by hand)",
        "Undone",
        "Round scored: Ann 45, Bob 20 (counted by hand) (undone)",
        "Match: Ann against Bob",
    ]


def test_an_event_that_comes_while_the_page_is_read_does_not_break_it(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, store = services_of(app).scoreboard, services_of(app).store
    number = board.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob")))
    read_log = store.log

    def log_before_the_event(match_id: int) -> tuple[Event, ...]:
        log = read_log(match_id)
        if len(log) == 1:
            store.append(match_id, RoundScored(points=(45, 20), twenties=(1, 0)), now="later")
        return log

    monkeypatch.setattr(store, "log", log_before_the_event)
    page = app.test_client().get(f"/match/{number}")
    assert page.status_code == 200
    assert log_lines(page.text) == ["Match: Ann against Bob"]


def test_who_plays_a_colour_is_answered_by_the_scorer_alone_and_by_two_alike(app: Flask) -> None:
    services = services_of(app)
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    number = services.scoreboard.begin(setup)
    services.recorder.on_start("clip")
    services.recorder.on_event(shot_event(0, RED, in_zone("a", RED, 15)))
    words = "Rot hat geschossen. Wer spielt rot?"
    spectator, scorer = app.test_client(), app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services.secret.token}"
    for client, may_answer in ((spectator, False), (scorer, True)):
        client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "de"
        page = client.get(f"/match/{number}").text
        assert words in page
        assert (f"/match/{number}/plays" in page) == may_answer
    answer = {"colour": "red", "side": "0", "seen": "2"}
    address, asks_json = f"/match/{number}/plays", {"Accept": "application/json"}
    assert spectator.post(address, data=answer).status_code == 401
    assert scorer.post(address, data=answer | {"key": "a.1"}, headers=asks_json).status_code == 200
    same = scorer.post(address, data=answer | {"key": "b.1"}, headers=asks_json)
    assert same.json["note"] == "Someone else has already entered this."
    other = scorer.post(address, data=answer | {"side": "1", "key": "c.1"}, headers=asks_json)
    assert (other.status_code, len(other.json["choices"])) == (409, 2)
    assert fold(services.store.log(number)).setup.colours == ("red", "black")


def test_a_new_match_takes_no_colours_from_the_last_one(app: Flask) -> None:
    services = services_of(app)
    setup = MatchStarted(
        rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("red", "black")
    )
    number = services.scoreboard.begin(setup)
    services.recorder.on_start("clip")
    services.recorder.on_event(shot_event(0, RED, in_zone("a", RED, 15)))
    scorer = app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services.secret.token}"
    page = scorer.get("/match/new").text
    assert '<option value="red">' in page
    assert '<option value="red" selected>' not in page
    scorer.post(f"/match/{number}/again", data={})
    assert services.store.recent_setups(1)[0].colours == ()


def test_a_new_match_on_a_full_disk_keeps_the_names(app: Flask) -> None:
    services = services_of(app)
    with services.store.database.read_transaction() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar()
        connection.execute(text(f"PRAGMA max_page_count={pages}"))
    scorer = app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services.secret.token}"
    names = {"player0": "A" * 40, "player1": "B" * 40}
    for _ in range(100):
        answer = scorer.post("/match/new", data={"preset": "club", "format": "two", **names})
        if answer.status_code != 303:
            break
    assert "The disk is full" in answer.text
    assert f'value="{names["player1"]}"' in answer.text


ANSWERS = {
    "a 20 of Ann's": ({"twenties0": "1", "twenties1": "0", "decision": "One 20."}, 30),
    "the board alone": ({"decision": "Score the board as it is."}, 10),
}


@pytest.mark.parametrize(("answer", "total"), ANSWERS.values(), ids=ANSWERS)
def test_a_round_counts_once_its_question_is_answered(
    app: Flask, answer: dict[str, str], total: int
) -> None:
    services = services_of(app)
    number = services.scoreboard.begin(
        MatchStarted(
            rules="nca",
            format=Format.TWO,
            players=("Ann", "Bob"),
            options=(("discs_singles", 2),),
        )
    )
    services.scoreboard.append(number, BoardCorrected(missed=4, board=(), about="Any 20s?"))
    services.scoreboard.append(number, RoundScored(points=(15, 5), twenties=(0, 0), waits=True))
    scorer = app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services.secret.token}"
    assert scorer.get("/api/v1/state").json["match"]["rounds"][0]["is_open"]
    row = scorer.get(f"/match/{number}").text.split("<h2>Rounds</h2>")[1].split("</tr>")[1]
    assert '<span class="soft">(' in row
    done = scorer.post(f"/match/{number}/rule", data={"dispute": "1"} | answer)
    assert done.status_code == 303
    shown = scorer.get("/api/v1/state").json["match"]
    assert (shown["sides"][0]["total"], shown["rounds"][0]["is_open"]) == (total, False)


def begin_by_hand(app: Flask) -> tuple[int, FlaskClient]:
    """A match with two discs per side, without a camera, and its scorer."""
    setup = MatchStarted(
        rules="nca",
        format=Format.TWO,
        players=("Ann", "Bob"),
        options=(("discs_singles", 2),),
    )
    scorer = app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services_of(app).secret.token}"
    return services_of(app).scoreboard.begin(setup), scorer


COUNTS = {"count0_15": "1", "count1_5": "1"}


@pytest.mark.parametrize("shots", [1, 3, 4])
def test_a_round_of_shots_counted_by_hand_can_be_entered_at_any_time(
    app: Flask, shots: int
) -> None:
    number, scorer = begin_by_hand(app)
    for _ in range(shots):
        scorer.post(f"/match/{number}/shot", data={})
    page = scorer.get(f"/match/{number}").text
    assert "Enter round" in page
    assert f'action="/match/{number}/score"' in page
    assert f'action="/match/{number}/unseen"' not in page  # no camera saw a shot
    assert 'name="by" value="shots"' not in page  # the discs on the board are unknown
    for action, fields in (("unseen", {}), ("score", {"by": "shots"})):
        refused = scorer.post(f"/match/{number}/{action}", data=fields)
        assert refused.status_code == 409
    reason = "Count the discs on the board" if shots == 4 else "Discs left to shoot"
    assert reason in refused.text
    assert scorer.post(f"/match/{number}/score", data=COUNTS).status_code == 303
    assert to_plain(services_of(app).scoreboard.state)["match"]["rounds"][0]["points"] == [15, 5]


def test_a_round_counted_by_hand_answers_the_camera_and_waits_for_a_dispute_of_people(
    app: Flask,
) -> None:
    number, scorer = begin_by_hand(app)
    board = services_of(app).scoreboard
    board.append(number, BoardCorrected(missed=1, board=(), about="Any 20s?", by_camera=True))
    board.append(number, Disputed(about="Did it touch?", by_camera=True))
    board.append(number, Disputed(about="It was on the line."))
    assert scorer.post(f"/match/{number}/score", data=COUNTS).status_code == 303
    match = to_plain(board.state)["match"]
    assert [dispute["decision"] for dispute in match["disputes"]][2] is None
    assert (match["rounds"][0]["is_open"], match["sides"][0]["total"]) == (True, 0)
    assert [question["dispute"] for question in match["questions"]] == [3]
    scorer.post(f"/match/{number}/rule", data={"dispute": "3", "decision": "It was not."})
    assert to_plain(board.state)["match"]["sides"][0]["total"] == 10


def test_a_round_in_which_nothing_is_counted_is_asked_about_once(app: Flask) -> None:
    number, scorer = begin_by_hand(app)
    asked = scorer.post(f"/match/{number}/score", data={}, headers={"Accept": "application/json"})
    assert (asked.status_code, to_plain(services_of(app).scoreboard.state)["match"]["rounds"]) == (
        409,
        [],
    )
    assert (
        asked.json["error"]
        == "You have not entered any discs or 20s. Did nobody score in this round?"
    )
    yes, no = asked.json["choices"]
    assert no["event"] is None
    scorer.post(f"/match/{number}/event", data={"event": json.dumps(yes["event"])})
    assert to_plain(services_of(app).scoreboard.state)["match"]["rounds"][0]["points"] == [0, 0]


JUDGED_BY = {
    "a preset": (PRESETS[0].options, "Rules: Club."),
    "a rule set": ((), "Rules: NCA rules."),
    "house rules": ((("game_rounds", 3),), "Rules: NCA rules, with house rules."),
}


@pytest.mark.parametrize(("options", "words"), JUDGED_BY.values(), ids=JUDGED_BY)
def test_the_referee_names_how_the_match_is_played(
    app: Flask, options: tuple[tuple[str, Any], ...], words: str
) -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"), options=options)
    services_of(app).scoreboard.begin(setup)
    scorer = app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services_of(app).secret.token}"
    scorer.post("/referee/start", data={"kind": "clip", "clip": DEMO_CLIP})
    assert words in scorer.get("/referee").text
    scorer.post("/referee/stop")


def count_fields(page: str) -> list[str]:
    return re.findall(r'name="count\d_\d+" type="number"[^>]*value="(\d*)"', page)


def test_a_round_that_is_taken_back_keeps_its_counts_in_the_form(app: Flask) -> None:
    services = services_of(app)
    number = services.scoreboard.begin(
        MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    )
    scorer = app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services.secret.token}"
    zones = (20, 15, 10, 5)
    rounds = [((1, 2, 0, 1), (0, 1, 1, 0)), ((0, 0, 3, 0), (2, 0, 0, 1))]
    for played in rounds:
        assert count_fields(scorer.get(f"/match/{number}").text) == ["0"] * 8
        fields = {
            f"count{side}_{zone}": str(count)
            for side, counts in enumerate(played)
            for zone, count in zip(zones, counts, strict=True)
        }
        assert scorer.post(f"/match/{number}/score", data=fields).status_code == 303
    for played in rounds[::-1]:
        scorer.post(f"/match/{number}/undo")
        page = scorer.get(f"/match/{number}").text
        assert count_fields(page) == [str(count) for counts in played for count in counts]
        points = [sum(a * b for a, b in zip(zones, counts, strict=True)) for counts in played]
        assert re.findall(r"<output>(\d+)</output>", page) == [str(point) for point in points]
        assert "counts are from the round you undid" in page
    services.scoreboard.append(number, RoundScored(points=(55, 25), twenties=(1, 0)))
    assert count_fields(scorer.get(f"/match/{number}").text) == [
        "0",
        "0",
        "3",
        "0",
        "2",
        "0",
        "0",
        "1",
    ]
    services.scoreboard.append(number, Undone())  # entered by a program that counts no zones
    assert count_fields(scorer.get(f"/match/{number}").text) == ["1", "0", "0", "0"] + ["0"] * 4


@pytest.mark.parametrize(
    ("before", "entry", "shown"),
    [
        pytest.param([], RoundStarted(minutes=12), r'id="minutes"[^>]*value="12"', id="minutes"),
        pytest.param([], Disputed(about="A 15?"), r'id="about"[^>]*value="A 15\?"', id="dispute"),
        pytest.param(
            [Disputed(about="A 15?")],
            Ruled(dispute=1, decision="A 10."),
            r'id="decision1"[^>]*value="A 10\."',
            id="ruling",
        ),
        pytest.param(
            [RoundScored(points=(0, 0), twenties=(0, 0))],
            ShootoutPlayed(twenties=(3, 2)),
            r'id="twenties0"[^>]*value="3"',
            id="shoot-out",
        ),
    ],
)
def test_what_was_taken_back_stands_in_its_form_again(
    app: Flask, before: list[Event], entry: Event, shown: str
) -> None:
    services = services_of(app)
    setup = MatchStarted(
        rules="nca",
        format=Format.TWO,
        players=("Ann", "Bob"),
        options=(("game_end", "rounds"), ("game_rounds", 1)),
    )
    number = services.scoreboard.begin(setup)
    scorer = app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services.secret.token}"
    for event in (*before, entry):
        services.scoreboard.append(number, event)
    assert not re.search(shown, scorer.get(f"/match/{number}").text)
    scorer.post(f"/match/{number}/undo")
    assert re.search(shown, scorer.get(f"/match/{number}").text)


def test_counts_that_do_not_make_the_score_are_refused() -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    counts = ((1, 2, 0, 1), (0, 1, 1, 0))
    for points, twenties, given in (
        ((60, 25), (1, 0), counts),
        ((55, 25), (0, 0), counts),
        ((55, 25), (1, 0), counts[:1]),
        ((55, 25), (1, 0), ((1, 2, 0), (0, 1, 1))),
        ((55, 25), (1, 0), ((1, 3, -1, 0), (0, 1, 1, 0))),
    ):
        event = RoundScored(points=points, twenties=twenties, counts=given)
        with pytest.raises(MatchError, match="The counted discs do not add up to these points"):
            fold([setup, event])
    event = RoundScored(points=(55, 25), twenties=(1, 0), counts=counts)
    assert fold([setup, event]).rounds[0].points == (55, 25)
    assert event_from_json(event_json(event)) == event
    assert "counts" not in event_json(RoundScored(points=(55, 25)))


def test_a_ruling_adds_a_20_to_a_round_kept_by_hand(app: Flask) -> None:
    services = services_of(app)
    number = services.scoreboard.begin(
        MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    )
    scorer = app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services.secret.token}"
    scorer.post(f"/match/{number}/dispute", data={"about": "Was it a 20?"})
    page = scorer.get(f"/match/{number}").text
    assert "The ruling is saved in the history. Count the score at the end" in page
    answer = {"dispute": "1", "decision": "It was.", "twenty": "1"}
    assert scorer.post(f"/match/{number}/rule", data=answer).status_code == 303
    assert fold(services.store.log(number)).round.twenties == (0, 1)
    scorer.post(f"/match/{number}/dispute", data={"about": "And that?"})
    answer = {"dispute": "2", "decision": "It was not.", "twenty": ""}
    assert scorer.post(f"/match/{number}/rule", data=answer).status_code == 303
    assert fold(services.store.log(number)).round.twenties == (0, 1)


def test_a_question_about_missed_20s_is_not_answered_by_an_empty_field(app: Flask) -> None:
    services = services_of(app)
    number = services.scoreboard.begin(
        MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    )
    services.scoreboard.append(number, BoardCorrected(missed=2, board=(), about="Any 20s?"))
    scorer = app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services.secret.token}"
    fields = re.findall(r'name="twenties\d"[^>]*>', scorer.get(f"/match/{number}").text)
    assert len(fields) == 2
    assert all('value=""' in field and "required" in field for field in fields)
    empty = {"dispute": "1", "decision": "None.", "twenties0": "0", "twenties1": ""}
    refused = scorer.post(f"/match/{number}/rule", data=empty)
    assert refused.status_code == 409
    assert "enter how many 20s were missed" in refused.text


@pytest.mark.parametrize(
    ("rules", "foul", "penalty"),
    [
        ("nca", "no-contact", "Remove the shooting disc and every disc it touched. A 20"),
        (
            "cogitate",
            "no-contact",
            "Remove the shooting disc and all of the side&#39;s own discs involved. A 20",
        ),
        ("traditional", "no-contact", "Remove the shooting disc. A 20"),
        (
            "family",
            "no-contact",
            "Remove the shooting disc and every disc touched in that turn. A 20",
        ),
        (
            "mayday",
            "open-board",
            "Remove the shooting disc and every disc touched in that turn. A 20",
        ),
        ("nca", "placement", "Remove the shooting disc. A 20"),
        ("nca", "wax", "These rules have no penalty for this."),
    ],
)
def test_a_called_foul_says_what_it_costs(app: Flask, rules: str, foul: str, penalty: str) -> None:
    services = services_of(app)
    number = services.scoreboard.begin(
        MatchStarted(rules=rules, format=Format.TWO, players=("Ann", "Bob"))
    )
    scorer = app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services.secret.token}"
    page = scorer.get(f"/match/{number}").text
    offered = re.findall(r'<option value="([a-z-]*)" data-penalty="([^"]*)"', page)
    assert offered[0][0] == "no-contact"
    assert dict(offered)[foul].startswith(penalty)
    assert not re.search(r'id="foul(-player)?".*?</select>', page, re.DOTALL)[0].count(" selected")
    for lacking in ({"foul": foul, "player": ""}, {"foul": "", "player": "1"}):
        assert scorer.post(f"/match/{number}/foul", data=lacking).status_code == 409
    called = scorer.post(f"/match/{number}/foul", data={"foul": foul, "player": "1"})
    assert called.status_code == 303
    shown = re.search(r'id="called">(.*?)</div>', scorer.get(f"/match/{number}").text, re.DOTALL)
    assert penalty in shown[1]


def test_a_called_foul_takes_the_chosen_discs_off_a_board_that_is_known(app: Flask) -> None:
    services = services_of(app)
    number = services.scoreboard.begin(
        MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    )
    lying = tuple(DiscInZone(id=f"red {k}", side=0, zone=15) for k in (1, 2))
    for player in (0, 1, 0):
        shot = ShotPlayed(player=player, verdict="legal", board=lying[:1], twenties=(0, 0))
        services.scoreboard.append(number, shot)
    last = ShotPlayed(player=1, verdict="legal", board=lying, twenties=(0, 0))
    services.scoreboard.append(number, last)
    scorer = app.test_client()
    scorer.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {services.secret.token}"
    assert re.search(r'name="off1" value="red 2"', scorer.get(f"/match/{number}").text)
    data = {"foul": "no-contact", "player": "0", "off1": "red 2", "off0": ""}
    assert scorer.post(f"/match/{number}/foul", data=data).status_code == 303
    assert fold(services.store.log(number)).round.board == lying[:1]


def test_a_round_that_was_not_seen_to_its_end_is_ended_by_the_scorer(app: Flask) -> None:
    board = services_of(app).scoreboard
    setup = MatchStarted(
        rules="nca",
        format=Format.TWO,
        players=("Ann", "Bob"),
        options=(("discs_singles", 2),),
    )
    number = board.begin(setup)
    lying = (DiscInZone(id="red 1", side=0, zone=15),)
    shot = ShotPlayed(player=0, verdict="legal", board=lying, twenties=(0, 0))
    board.append(number, shot)
    client, csrf = sign_in(app)

    def send(action: str, key: str, **fields: str) -> int:
        form = {"csrf": csrf, "seen": str(len(services_of(app).store.log(number))), "key": key}
        return client.post(f"/match/{number}/{action}", data=form | fields).status_code

    assert "3 discs left to shoot." in client.get(f"/match/{number}").text
    assert send("unseen", "k1") == 303
    page = client.get(f"/match/{number}").text
    assert "3 shots at the end of the round were not seen (Bob 2, Ann 1)." in unescape(page)
    assert page.index("Questions and disputes") < page.index("End of round")
    assert re.search(r">\s*Undo: Board scored as it is\s*<", page)
    assert send("unseen", "k2") == 409
    assert send("rule", "k3", dispute="1", decision="Score the board as it is.") == 303
    assert send("score", "k4", by="shots") == 303
    assert to_plain(services_of(app).scoreboard.state)["match"]["rounds"][0]["points"] == [15, 0]


def test_a_dispute_offers_the_answers_of_its_question_once(app: Flask) -> None:
    board = services_of(app).scoreboard
    number = board.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob")))
    board.append(number, ShotPlayed(player=0, verdict="legal", board=(), twenties=(0, 0)))
    board.append(number, Disputed(about="Was it a 15?"))
    client, csrf = sign_in(app)
    unseen = {"csrf": csrf, "seen": "3", "key": "k1"}
    assert client.post(f"/match/{number}/unseen", data=unseen).status_code == 303
    page = client.get(f"/match/{number}").text
    asked = list_questions(fold(services_of(app).store.log(number)))
    offered = [answer.words for question in asked for answer in question.answers]
    assert {"Score the board as it is", "None went in"} <= set(offered)
    for words in offered:
        assert len(re.findall(rf">\s*{re.escape(words)}\s*</button>", page)) == 1, words


def sign_in(app: Flask) -> tuple[FlaskClient, str]:
    """A scorer's browser without scripts, and the hidden fields of its forms."""
    client, secret = app.test_client(), services_of(app).secret
    with client.session_transaction() as session:
        session.update(csrf="token", scorer=secret.session_signature)
    return client, "token"


def test_a_form_without_a_script_enters_once_and_comes_back_as_it_was_typed(app: Flask) -> None:
    board = services_of(app).scoreboard
    number = board.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob")))
    client, csrf = sign_in(app)
    form = {"csrf": csrf, "seen": "1", "key": "k1", "form": "score-1", "count0_15": "3"}
    for _ in range(2):
        assert client.post(f"/match/{number}/score", data=form).status_code == 303
    assert len(services_of(app).store.log(number)) == 2
    answer = client.post(f"/match/{number}/score", data=form | {"key": "k2", "count0_15": "4"})
    assert answer.status_code == 409
    assert "Ann 45, Bob 0" in answer.text
    assert "Ann 60, Bob 0" in answer.text
    (chosen,) = re.findall(r'name="event" value="([^"]+)"', answer.text)
    fixed = {"csrf": csrf, "seen": "2", "key": "k3", "event": unescape(chosen)}
    assert client.post(f"/match/{number}/event", data=fixed).status_code == 303
    assert to_plain(services_of(app).scoreboard.state)["match"]["sides"][0]["total"] == 60
    typed = form | {"key": "k4", "seen": "3", "form": "score-2", "count0_15": "9"}
    answer = client.post(f"/match/{number}/score", data=typed)
    assert answer.status_code == 409
    (problem,) = re.findall(r'role="alert"[^>]*>\s*(?:<[^>]+>)*(Ann[^<]+)', answer.text)
    assert re.findall(r"\d+", problem) == ["9", "8"]
    assert re.search(r'id="count0_15"[^>]* value="9"', answer.text)


def test_matches_are_found_by_name_date_and_number_a_page_at_a_time(app: Flask) -> None:
    store, client = services_of(app).store, app.test_client()
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    for k in range(27):
        store.import_log([setup], now=f"2026-01-{k + 1:02d}T10:00:00+00:00")
    store.import_log([replace(setup, players=("Ann", "Cid"))], now="2026-02-01T10:00:00+00:00")
    first = client.get("/api/v1/matches?page=1").json
    assert first is not None
    assert (first["total"], first["pages"], len(first["matches"])) == (28, 2, 25)
    assert first["matches"][0]["id"] == 28
    last = client.get("/matches?page=99").text
    (page,) = re.findall(r"<span>([^<]*\b28\b[^<]*)</span>", last)
    assert re.findall(r"\d+", page) == ["2", "2", "28"]
    for words, ids in (("cid ANN", [28]), ("2026-01-03", [3]), ("nobody", [])):
        found = client.get("/api/v1/matches", query_string={"q": words}).json
        assert found is not None
        assert [row["id"] for row in found["matches"]] == ids
    assert "No matches for “nobody”" in client.get("/matches?q=nobody").text


def test_a_player_has_a_page_whose_figures_say_of_how_many(app: Flask) -> None:
    store, client = services_of(app).store, app.test_client()
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "<Bob>"))
    for twenties in (1, 3):
        rounds = [RoundScored(points=(120, 20), twenties=(twenties, 1))]
        store.import_log([setup, *rounds], now="2026-01-02T10:00:00+00:00")
    page = " ".join(re.sub(r"<[^>]+>", " ", client.get("/player?name=Ann").text).split())
    assert "Matches won 2 of 2 20s per round 2.0 of 2 rounds" in page
    assert "Opponent Won Lost Tied Matches &lt;Bob&gt; 2 0 0 2" in page
    assert "2026-01-02: 3.0 twenties per round (1 round)" in page
    assert "Ann" in client.get("/players").text
    assert client.get("/player?name=Nobody").status_code == 404


def test_the_api_has_a_page_that_names_every_operation(app: Flask) -> None:
    client = app.test_client()
    page, document = client.get("/api/v1/docs"), client.get("/api/v1/openapi.json").json
    assert page.status_code == 200
    assert document is not None
    assert document["servers"] == [{"url": "http://localhost"}]
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} {path}</code>" in page.text


@pytest.mark.parametrize(
    "path", ["/help", "/players", "/", "/matches", "/referee", "/score", "/calibrate", "/join"]
)
def test_every_page_has_all_the_values_that_its_template_names(app: Flask, path: str) -> None:
    assert app.test_client().get(path).status_code == 200


def test_a_match_s_result_is_a_picture_to_share(app: Flask) -> None:
    board = services_of(app).scoreboard
    number = board.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann <3", "Bob")))
    client = app.test_client()
    assert "card.svg" not in client.get(f"/match/{number}").text
    board.append(number, RoundScored(points=(60, 20), twenties=(1, 0)))
    board.append(number, RoundScored(points=(70, 0), twenties=(2, 0)))
    assert "card.svg" in client.get(f"/match/{number}").text
    answer = client.get(f"/match/{number}/card.svg")
    assert answer.content_type.startswith("image/svg+xml")
    texts = ["".join(element.itertext()) for element in ElementTree.fromstring(answer.data).iter()]
    for words in ("Ann <3", "110", "★ won"):
        assert words in texts
    assert all(words in texts[0] for words in ("20s: 3", "60–20  ·  70–0"))
    assert client.get("/match/99/card.svg").status_code == 404
