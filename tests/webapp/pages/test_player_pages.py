"""A player's page: shots that a camera saw, and figures with their numbers of shots."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from simulated_match import simulate_match
from sqlalchemy import event as sql_event
from watch_events import BLACK, RED, disc, in_zone, shot_event

from calibration.placed_disc import DiscState
from scorer.match.events import MatchStarted, ShotPlayed, Undone
from scorer.match.seen_shot import SeenShot
from scorer.match.statistics import compute_player_statistics
from scorer.rules.choices import Format
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.pages.players.shot_figures import CELL_MM, draw_heat, summarise_shots
from webapp.services import services_of

MATCH = MatchStarted(
    rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("red", "black")
)
START_MM = (0.0, -304.8)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    made = create_app(Config(database=str(tmp_path / "matches.db")))
    yield made
    close_app(made)


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_a_refereed_round_stands_on_both_players_pages(app: Flask) -> None:
    parts = services_of(app)
    number = parts.scoreboard.begin(MATCH)
    hit = in_zone("b", BLACK, 15)
    hole = disc("shooter", RED, (1, 2), DiscState.IN_HOLE)
    parts.recorder.on_event(shot_event(0, RED, hole))
    parts.recorder.on_event(shot_event(1, BLACK, hit))
    own = disc("shooter", RED, (60, 0))
    takes_out = shot_event(2, RED, own, before=[hit]) | {"contacts": [["shooter", "b"]]}
    parts.recorder.on_event(takes_out)
    parts.recorder.on_event(shot_event(3, BLACK, own, before=[own]))
    log = parts.store.log(number)
    seen = [event.seen for event in log if isinstance(event, ShotPlayed)]
    assert seen[2] == SeenShot(
        start_mm=START_MM,
        rest_mm=(60.0, 0.0),
        zone=15,
        target_mm=(10.0, 55.0),
        target_zone=15,
        is_hit=True,
        is_out=True,
    )
    (ann, _) = compute_player_statistics(log)
    assert (ann.open_twenties.total, ann.open_twenties.n) == (1, 1)
    client = app.test_client()
    page = words(client.get("/player?name=Ann").text)
    assert "20s on an empty board: 100% of 1 shot" in page
    assert "15 100% 1 of 1 (21–100%) 100% 1 of 1 (21–100%)" in page
    assert "35 cm or more 100% 1 of 1" in page
    assert "Where 2 of 2 discs came to rest" in page
    page = words(client.get("/player?name=Bob").text)
    assert (
        "15 0% 0 of 1 (0–79%) 0% 0 of 1 (0–79%)" in page
    )  # red's disc on the straight line to the hole
    assert "Where all 2 shots ended" in page
    parts.scoreboard.append(number, Undone())
    assert "Where 1 shot ended" in words(client.get("/player?name=Bob").text)


def test_a_page_without_shots_says_how_they_come(app: Flask) -> None:
    services_of(app).scoreboard.begin(MATCH)
    page = words(app.test_client().get("/player?name=Ann").text)
    assert "Once a camera has refereed a match" in page


def test_shots_are_counted_by_zone_and_distance() -> None:
    def shot(target_mm: tuple[float, float], zone: int, *, hit: bool = False) -> SeenShot:
        return SeenShot(start_mm=START_MM, target_mm=target_mm, target_zone=zone, is_hit=hit)

    shots = [
        shot((0, 0), 15, hit=True),  # 305 mm away
        shot((0, -100), 10, hit=True),  # 205
        shot((0, -100), 10),
        shot((0, 250), 5),  # 555
        SeenShot(start_mm=START_MM, zone=20, rest_mm=(0, 0)),
    ]
    figures = summarise_shots(shots)
    assert [(row.zone, row.hits.successes, row.hits.shots) for row in figures.by_zone] == [
        (15, 1, 1),
        (10, 1, 2),
        (5, 0, 1),
    ]
    assert [(row.from_mm, row.hits.successes, row.hits.shots) for row in figures.by_distance] == [
        (None, 1, 2),
        (250.0, 1, 1),
        (350.0, 0, 1),
    ]
    assert (figures.open_board.successes, figures.open_board.shots, figures.shots) == (1, 1, 5)
    assert [row.rate.successes for row in figures.ends] == [1, 0, 0, 0, 0, 4]


def test_the_heat_map_counts_every_disc_in_its_square() -> None:
    cells = draw_heat([(0, 0), (10, -10), (100, 0), (0, 100)])
    assert sum(cell.discs for cell in cells) == 4
    fullest = max(cells, key=lambda cell: cell.discs)
    assert (fullest.x_mm, fullest.y_mm, fullest.strength) == (-CELL_MM / 2, -CELL_MM / 2, 1.0)
    ahead = min(cells, key=lambda cell: cell.y_mm)
    assert ahead.y_mm < -CELL_MM
    assert draw_heat([]) == ()


def test_strengths_by_kind_of_shot_count_finished_matches_with_places(app: Flask) -> None:
    setup, *entries = simulate_match(3, discs=4)
    assert isinstance(setup, MatchStarted)
    board, client = services_of(app).scoreboard, app.test_client()
    short = replace(setup, options=(*setup.options, ("game_end", "rounds"), ("game_rounds", 3)))
    number = board.begin(short)
    for event in entries[:-1]:
        board.append(number, event)
    assert "Strengths by kind of shot" not in client.get("/player?name=Ann").text
    board.append(number, entries[-1])
    page = client.get("/player?name=Ann").text
    rows = page.split("Strengths by kind of shot")[1].split("</table>")[0]
    counts = [int(count) for count in re.findall(r'data-label="Shots">(\d+)<', rows)]
    assert "open board" in rows
    assert rows.count('class="soft"><td') == len(counts)
    assert sum(counts) == 12 + 1  # Bob started one of three rounds, in which Ann shot last


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(b"<svg onload='alert(1)'/>", id="another kind of file"),
        pytest.param(b"\xff\xd8\xff" + bytes(100_000), id="too large"),
        pytest.param(b"", id="empty"),
    ],
)
def test_a_picture_that_a_browser_did_not_make_small_is_refused(app: Flask, picture: bytes) -> None:
    parts = services_of(app)
    parts.scoreboard.begin(MATCH)
    right = {"Authorization": f"Bearer {parts.secret.token}"}
    sent = {"name": "Ann", "picture": (io.BytesIO(picture), "a.jpg")}
    answer = app.test_client().post("/player/picture", data=sent, headers=right)
    assert answer.status_code == 303
    assert parts.scoreboard.state.pictures == {}
    small = {"name": "Ann", "picture": (io.BytesIO(b"\xff\xd8\xff small"), "a.jpg")}
    assert app.test_client().post("/player/picture", data=small, headers=right).status_code == 303
    (key,) = parts.scoreboard.state.pictures.values()
    read = app.test_client().get(f"/player/picture/{key}.jpg")
    assert (read.data, read.mimetype) == (b"\xff\xd8\xff small", "image/jpeg")
    other = {"name": "Bob", "picture": (io.BytesIO(b"\xff\xd8\xff other"), "b.jpg")}
    assert app.test_client().post("/player/picture", data=other, headers=right).status_code == 303
    queries: list[str] = []
    with parts.store.database.read_transaction() as connection:
        engine = connection.engine
    sql_event.listen(engine, "before_cursor_execute", lambda *given: queries.append(given[2]))
    card = app.test_client().get("/match/1/card.svg").get_data(as_text=True)
    for jpeg in (read.data, b"\xff\xd8\xff other"):
        assert base64.b64encode(jpeg).decode() in card
    assert sum("player_pictures" in query for query in queries) == 1
    nobody = {"name": "Zed", "picture": (io.BytesIO(b"\xff\xd8\xff small"), "a.jpg")}
    assert app.test_client().post("/player/picture", data=nobody, headers=right).status_code == 404
    assert app.test_client().post("/player/picture", data={"name": "Ann"}).status_code == 401
