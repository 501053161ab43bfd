"""Practice over HTTP: by hand and by the camera, its count, and no shots taken from matches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from watch_events import BLACK, RED, disc, in_zone, shot_event

from calibration.json_text import to_plain
from calibration.placed_disc import DiscState
from scorer.match.events import MatchStarted
from scorer.practice.events import Drill, PracticeStarted
from scorer.rules.choices import Format
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.live.practice_recorder import PracticeRecorder
from webapp.services import Services, services_of

MATCH = MatchStarted(
    rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("red", "black")
)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = create_app(Config(database=str(tmp_path / "matches.db")))
    yield made
    close_app(made)


@pytest.fixture
def parts(app: Flask) -> Services:
    return services_of(app)


@pytest.fixture
def scorer(app: Flask, parts: Services) -> FlaskClient:
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {parts.secret.token}"
    return client


def begin(scorer: FlaskClient, drill: str = "open_twenties", name: str = "Ann") -> str:
    answer = scorer.post("/practice", data={"player": name, "drill": drill})
    assert answer.status_code == 303
    return str(answer.location)


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def paragraphs(page: str) -> list[str]:
    """The texts of the paragraphs of a page."""
    return [words(text) for text in re.findall(r"<p[ >].*?</p>", page, re.DOTALL)]


def numbers(text: str) -> list[int]:
    """The whole numbers in a text, in order."""
    return [int(number) for number in re.findall(r"\d+", text)]


def test_a_drill_is_begun_with_a_remembered_player_and_counted_by_hand(
    scorer: FlaskClient, parts: Services
) -> None:
    assert "None yet." in scorer.get("/practice").text
    parts.scoreboard.begin(MATCH)
    assert re.search(r'value="Ann" checked', scorer.get("/practice").text)
    address = begin(scorer)
    for form in (
        {"outcome": "twenty"},
        {"outcome": "on_board", "right_mm": "30.0", "beyond_mm": "-40.0"},
        {"outcome": "on_board", "right_mm": "-10.0", "beyond_mm": "0.0"},
        {"outcome": "off_board"},
    ):
        assert scorer.post(f"{address}/shot", data=form).status_code == 303
    texts = paragraphs(scorer.get(address).text)
    assert [1, 4, 8] in [numbers(text) for text in texts]  # the 20s, the shots, and those left
    (share,) = [text for text in texts if "%" in text]
    assert numbers(share) == [25, 4, 5, 70]
    (spread,) = [text for text in texts if " mm " in text]
    assert numbers(spread) == [10, 20, 28, 28, 2, 3]
    assert "right" in spread
    assert "short" in spread
    scorer.post(f"{address}/undo")
    assert "33% of 3 shots" in scorer.get(address).text


def test_the_best_is_to_be_beaten(scorer: FlaskClient) -> None:
    first = begin(scorer)
    for k in range(12):
        scorer.post(f"{first}/shot", data={"outcome": "twenty" if k < 2 else "off_board"})
    assert "Practise again" in scorer.get(first).text
    second = begin(scorer)
    scorer.post(f"{second}/shot", data={"outcome": "twenty"})
    to_beat = [numbers(text) for text in paragraphs(scorer.get(second).text)]
    assert [2, 11, 2, 12] in to_beat
    for _ in range(2):
        scorer.post(f"{second}/shot", data={"outcome": "twenty"})
    (record,) = re.findall(r'<p class="good">.*?</p>', scorer.get(second).text)
    assert numbers(record) == [2, 12]


def test_a_tap_on_a_page_that_is_behind_is_refused_with_a_sentence(scorer: FlaskClient) -> None:
    address = begin(scorer)
    tap = {"outcome": "twenty", "seen": "1"}
    assert scorer.post(f"{address}/shot", data=tap).status_code == 303
    scorer.post(f"{address}/shot", data=tap)
    page = scorer.get(address).text
    assert '<p class="note problem" role="alert">' in page
    assert "Someone entered a shot" in page
    assert 'data-events="2"' in page


def test_the_camera_counts_open_twenties_and_no_match_gets_them(
    scorer: FlaskClient, parts: Services
) -> None:
    number = parts.scoreboard.begin(MATCH)
    address = begin(scorer)
    in_hole = disc("shooter", RED, (1, 2), DiscState.IN_HOLE)
    parts.recorder.on_event(shot_event(0, RED, in_hole))
    parts.recorder.on_event(shot_event(1, RED, disc("shooter", RED, (-25, 60))))
    parts.recorder.on_event(shot_event(2, RED))
    held = parts.practices.get(1)
    assert held is not None
    assert [shot.outcome for shot in held.state.shots] == ["twenty", "on_board", "off_board"]
    assert (held.state.shots[1].right_mm, held.state.shots[1].beyond_mm) == (-25, 60)
    assert len(parts.store.log(number)) == 1
    assert "33% of 3 shots" in scorer.get(address).text
    # A new match takes the camera back.
    parts.scoreboard.begin(MATCH)
    parts.recorder.on_event(shot_event(0, RED, in_zone("a", RED, 15)))
    held = parts.practices.get(1)
    assert held is not None
    assert len(held.state.shots) == 3
    assert len(parts.store.log(number + 1)) == 2


def test_the_camera_counts_a_disc_taken_out(scorer: FlaskClient, parts: Services) -> None:
    begin(scorer, "take_outs")
    target, own = in_zone("t", BLACK, 15), disc("shooter", RED, (50, 0))
    for after in ((own,), (), (target, own)):
        parts.recorder.on_event(shot_event(0, RED, *after, before=[target]))
    assert to_plain(parts.scoreboard.state)["live"]["notice"] is None
    parts.recorder.on_event(shot_event(0, RED, own))
    held = parts.practices.get(1)
    assert held is not None
    assert [shot.outcome for shot in held.state.shots] == ["out_and_stayed", "out", "missed"]
    assert "no opponent's disc to remove" in to_plain(parts.scoreboard.state)["live"]["notice"]


def test_a_practice_that_was_left_takes_no_more_shots(parts: Services) -> None:
    times = ["2026-01-02T20:00:00+00:00"]
    recorder = PracticeRecorder(parts.scoreboard, parts.practices, lambda: times[0])
    number = recorder.begin(PracticeStarted(player="Ann", drill=Drill.OPEN_TWENTIES))
    assert recorder.number == number
    times[0] = "2026-01-02T21:00:00+00:00"
    assert recorder.number is None


def test_a_spectator_sees_a_practice_and_changes_nothing(app: Flask, scorer: FlaskClient) -> None:
    address, spectator = begin(scorer), app.test_client()
    assert f'action="{address}/end"' in scorer.get(address).text
    assert f'action="{address}/' not in spectator.get(address).text
    assert spectator.post(f"{address}/shot", data={"outcome": "twenty"}).status_code == 401
    assert spectator.get("/practice/99").status_code == 404


def test_a_player_s_page_has_all_practice_though_no_match_was_played(
    scorer: FlaskClient, parts: Services
) -> None:
    for outcome in ("twenty", "off_board"):
        address = begin(scorer, name="Eve")
        for _ in range(3):
            scorer.post(f"{address}/shot", data={"outcome": outcome})
    page = words(scorer.get("/player?name=Eve").text)
    assert "50% of 6 shots, likely between 19 and 81%; 2 practice sessions." in page
    assert "Start a match" in page
    assert "Eve practice" in words(scorer.get("/players").text)
    parts.scoreboard.begin(MATCH)
    assert "A drill of twelve open-board shots takes about two minutes" in words(
        scorer.get("/player?name=Bob").text
    )
