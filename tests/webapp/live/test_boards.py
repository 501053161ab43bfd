"""A server with several boards, which have their own matches, pages, streams and scorers."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from played_tournaments import append_event, started, with_stage

from calibration.json_text import to_plain
from scorer.match.events import MatchMoved, RoundScored
from scorer.match.exchange import match_as_json
from scorer.match.fold import fold
from scorer.practice.events import Drill, PracticeStarted
from scorer.tournament.events import StageKind
from scorer.tournament.fold import fold as fold_tournament
from scorer.tournament.pairing import pair_next_round
from webapp.live.live_boards import LiveBoards
from webapp.live.scoreboard import now
from webapp.services import Services, services_of


@pytest.fixture
def parts(app: Flask) -> Services:
    return services_of(app)


@pytest.fixture
def boards(parts: Services) -> LiveBoards:
    """Three boards."""
    for _ in range(2):
        parts.boards.add_board("")
    return parts.boards


def _client(app: Flask) -> tuple[FlaskClient, dict[str, str]]:
    return app.test_client(), {"Authorization": f"Bearer {services_of(app).secret.token}"}


def _begin(app: Flask, path: str, first: str, second: str) -> str:
    client, headers = _client(app)
    form = {"preset": "club", "format": "two", "player0": first, "player1": second}
    answer = client.post(path, data=form, headers=headers)
    assert answer.status_code == 303, answer.text
    return str(answer.location)


def _shown(board_state: dict[str, Any]) -> list[str] | None:
    match = board_state["match"]
    return None if match is None else [side["name"] for side in match["sides"]]


def test_a_new_match_leaves_the_running_one_of_another_board_on_its_scoreboard(
    app: Flask, boards: LiveBoards
) -> None:
    _begin(app, "/boards/1/match/new", "Ann", "Bob")
    _begin(app, "/boards/3/match/new", "Cleo", "Dan")
    names = [_shown(to_plain(boards.get(number).scoreboard.state)) for number in (1, 2, 3)]
    assert names == [["Ann", "Bob"], None, ["Cleo", "Dan"]]
    client = app.test_client()
    assert "Cleo" not in client.get("/boards/1").text
    assert "Cleo" in client.get("/boards/3").text
    assert _shown(client.get("/api/v1/state?board=3").json) == ["Cleo", "Dan"]


def test_an_address_without_a_board_is_the_first_s_and_the_wall_s_where_there_are_several(
    app: Flask, parts: Services
) -> None:
    client = app.test_client()
    assert 'id="sides"' in client.get("/").text
    assert client.get("/boards/2").status_code == 404
    parts.boards.add_board("By the window")
    assert 'id="boards"' in client.get("/").text
    for address in ("/boards/2", "/boards/2/"):
        assert 'id="sides"' in client.get(address).text
    _begin(app, "/match/new", "Ann", "Bob")
    assert _shown(to_plain(parts.scoreboard.state)) == ["Ann", "Bob"]


@pytest.mark.usefixtures("boards")
def test_pages_of_a_board_keep_within_it(app: Flask) -> None:
    client, headers = _client(app)
    for page in ("referee", "camera", "overlay/choose", "match/new", "score", "join", "calibrate"):
        text = client.get(f"/boards/2/{page}", headers=headers).text
        assert 'data-board="2"' in text, page
        assert 'href="/boards/2/referee"' in text, page
    match = _begin(app, "/boards/2/match/new", "Ann", "Bob")
    assert match == "/match/1"
    assert 'href="/boards/2/referee"' in client.get(match).text


def test_what_is_entered_in_a_match_is_published_to_its_board_and_its_row_to_the_room(
    app: Flask, boards: LiveBoards
) -> None:
    number = boards.get(2).scoreboard.begin(_setup())
    listeners = {key: boards.find_broker(key).listen(lambda: None) for key in ("1", "2", "all")}
    client, headers = _client(app)
    event = {"type": "round_scored", "points": [60, 45], "twenties": [0, 0]}
    assert (
        client.post(f"/api/v1/matches/{number}/events", json=event, headers=headers).status_code
        == 201
    )
    heard = {key: boards.find_broker(key).take(listener)[1:] for key, listener in listeners.items()}
    assert {key: len(messages) for key, messages in heard.items()} == {"1": 0, "2": 1, "all": 1}
    rows = json.loads(heard["all"][0].encoded.split(b"data: ", 1)[1])["state"]["boards"]
    assert [[side["total"] for side in row["sides"]] for row in rows] == [[], [2, 0], []]


def _setup() -> Any:
    from scorer.match.events import MatchStarted
    from scorer.rules.choices import Format

    options = (("round_score", "match-play"), ("game_end", "rounds"), ("game_rounds", 4))
    return MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"), options=options)


def test_a_stream_of_a_board_that_is_not_there_is_none(boards: LiveBoards) -> None:
    found = [boards.find_broker(number) for number in ("9", "x", "-1", "²")]
    assert found == [None] * 4
    assert boards.find_broker("") is boards.first().broker


def test_a_board_s_code_lets_its_bearer_write_at_that_board_alone(
    app: Flask, boards: LiveBoards, parts: Services
) -> None:
    client = app.test_client()
    client.get("/boards/2/join")
    with client.session_transaction() as session:
        csrf = session["csrf"]
    code = parts.secret.board_code(2)
    assert client.post("/boards/2/join", data={"csrf": csrf, "token": code}).location == "/boards/2"
    client.get("/boards/2/match/new")
    with client.session_transaction() as session:
        csrf = session["csrf"]
    form = {"preset": "club", "format": "two", "player0": "Ann", "player1": "Bob", "csrf": csrf}
    assert client.post("/boards/2/match/new", data=form).location == "/match/1"
    other = boards.get(3).scoreboard.begin(_setup())
    score = {"csrf": csrf, "side": "0", "change": "1"}
    assert client.post("/match/1/twenty", data=score).status_code == 303
    refused = [
        client.post(path, data=form | score).status_code
        for path in (
            "/boards/3/match/new",
            "/match/new",
            f"/match/{other}/twenty",
            "/boards",
            "/boards/2/remove",
            "/token",
            "/tournaments/new",
            "/boards/1/referee/stop",
            "/calibrate/profiles/ours/drop",
        )
    ]
    assert refused == [401] * 9
    shared = ("calibrate/profiles/ours/drop", "token", "tournaments/new", "boards/3/remove")
    posts = [client.post(f"/boards/2/{path}", data=form).status_code for path in shared]
    assert posts == [404] * 4
    assert client.get("/api/v1/hooks").status_code == 401
    parts.secret.replace_token()
    assert client.post("/match/1/twenty", data=score).status_code == 401


@pytest.fixture
def second(app: Flask, boards: LiveBoards, parts: Services) -> tuple[FlaskClient, str]:
    """The browser of board 2's scorer, and the hidden fields of its forms."""
    del boards
    client = app.test_client()
    client.get("/boards/2/join")
    with client.session_transaction() as session:
        csrf = session["csrf"]
    code = parts.secret.board_code(2)
    client.post("/boards/2/join", data={"csrf": csrf, "token": code})
    client.get("/boards/2/match/new")
    with client.session_transaction() as session:
        return client, session["csrf"]


def _newest(boards: LiveBoards) -> list[int | None]:
    return [boards.get(number).scoreboard.match_id() for number in (1, 2, 3)]


@pytest.mark.parametrize("moves", [(), (1,), (3, 1)])
def test_a_file_that_a_board_s_scorer_takes_in_is_played_there_whatever_it_says(
    second: tuple[FlaskClient, str], boards: LiveBoards, moves: tuple[int, ...]
) -> None:
    client, csrf = second
    running = boards.first().scoreboard.begin(_setup())
    log = (replace(_setup(), at_board=1), *(MatchMoved(at_board=move) for move in moves))
    file = io.BytesIO(match_as_json(log, [now()] * len(log)).encode())
    answer = client.post("/boards/2/matches", data={"csrf": csrf, "file": (file, "m.json")})
    assert answer.status_code == 303
    assert _newest(boards) == [running, running + 1, None]
    assert to_plain(boards.first().scoreboard.state)["match"]["id"] == running


def test_a_board_s_scorer_brings_no_match_to_another_board(
    second: tuple[FlaskClient, str], app: Flask, boards: LiveBoards
) -> None:
    client, csrf = second
    match = boards.get(2).scoreboard.begin(_setup())
    moved = json.dumps({"type": "match_moved", "at_board": 1})
    sent = {"csrf": csrf, "event": moved, "key": "a"}
    assert client.post(f"/match/{match}/event", data=sent).status_code == 401
    assert _newest(boards) == [None, match, None]
    boards.move_match(match, 3)
    boards.move_match(match, 2)
    undo = {"csrf": csrf, "key": "b"}
    assert client.post(f"/match/{match}/undo", data=undo).status_code == 401
    assert _newest(boards) == [None, match, None]
    scorer, headers = _client(app)
    assert (
        scorer.post(f"/match/{match}/undo", data={"key": "c"}, headers=headers).status_code == 303
    )
    assert _newest(boards) == [None, None, match]


def test_a_board_s_scorer_enters_into_no_practice_that_another_board_counts(
    second: tuple[FlaskClient, str], boards: LiveBoards, parts: Services
) -> None:
    client, csrf = second
    setup = PracticeStarted(player="Ann", drill=Drill.OPEN_TWENTIES)
    theirs, own = (boards.get(number).practice.begin(setup) for number in (1, 2))
    shot = {"csrf": csrf, "outcome": "twenty"}
    for action in ("shot", "undo", "end", "count"):
        assert client.post(f"/boards/2/practice/{theirs}/{action}", data=shot).status_code == 401
    assert client.post(f"/boards/2/practice/{own}/shot", data=shot).status_code == 303
    held = [parts.practices.get(number) for number in (theirs, own)]
    assert [state and state.events for state in held] == [1, 2]


@pytest.mark.usefixtures("boards")
def test_a_wrong_code_lets_nobody_in(app: Flask, parts: Services) -> None:
    client = app.test_client()
    client.get("/boards/2/join")
    with client.session_transaction() as session:
        csrf = session["csrf"]
    for path, code in (("/boards/2/join", parts.secret.board_code(3)), ("/join", "nothing")):
        client.post(path, data={"csrf": csrf, "token": code})
        assert client.get("/boards/2/match/new").status_code == 401


def test_a_tournament_s_match_shows_at_its_board_and_reports_its_result(
    app: Flask, parts: Services
) -> None:
    client, headers = _client(app)
    names = [f"P{k}" for k in range(6)]
    form = {"name": "Club night", "entries": "\n".join(names), "boards": "3", "plan": "club"}
    more = {"rules": "nca", "kind": "swiss", "rounds": "3", "criteria": "nca"}
    client.post("/tournaments/new", data=form | more, headers=headers)
    assert len(parts.boards.names) == 3
    data = {"events": str(parts.tournaments.read(1).events), "stage": "0"}
    client.post("/tournaments/1/pair", data=data, headers=headers)
    pairing = to_plain(parts.boards.get(3).scoreboard.state)["pairing"]
    assert pairing["title"] == "Club night"
    assert " – ".join(pairing["sides"]) in client.get("/boards/3").text

    begun = client.post("/boards/3/match/begin", headers=headers).location
    board = parts.boards.get(3)
    number = board.scoreboard.match_id()
    assert begun == f"/match/{number}"
    assert number is not None
    assert _shown(to_plain(board.scoreboard.state)) == pairing["sides"]
    assert to_plain(board.scoreboard.state)["pairing"] is None
    assert to_plain(board.scoreboard.state)["playing"] == pairing
    for points in ((60, 40), (50, 50), (20, 30), (65, 20)):
        board.scoreboard.append(number, RoundScored(points=points, twenties=(1, 0)))
    parts.boards._reporter.submit(int).result()  # after the report
    state = parts.tournaments.read(1).state
    assert state is not None
    result = state.matches[pairing["match"]].result
    assert result is not None
    assert (result.points, result.twenties) == ((5, 3), (4, 0))
    assert fold(parts.store.log(number)).is_over
    client.post("/boards/3/match/begin", headers=headers)  # no match is waiting there any more
    assert parts.store.count() == 1


def test_a_board_is_named_and_taken_away_unless_a_match_is_played_there(
    app: Flask, boards: LiveBoards
) -> None:
    client, headers = _client(app)
    client.post("/boards/2/name", data={"name": "Stage"}, headers=headers)
    assert "Stage" in client.get("/boards/2").text
    boards.get(2).scoreboard.begin(_setup())
    client.post("/boards/2/remove", headers=headers)
    client.post("/boards/3/remove", headers=headers)
    assert [name.name for name in boards.names] == ["Board 1", "Stage"]


@pytest.mark.usefixtures("boards")
def test_codes_of_the_scorer_are_shown_to_the_scorer_alone(app: Flask) -> None:
    client, headers = _client(app)
    assert "keeping score" not in client.get("/boards").text
    assert "keeping score" in client.get("/boards", headers=headers).text
    assert client.get("/boards/print").status_code == 401
    assert [board["number"] for board in client.get("/boards/state").json["boards"]] == [1, 2, 3]


def test_a_begun_match_is_played_on_at_another_board_and_undoing_brings_it_back(
    app: Flask, boards: LiveBoards
) -> None:
    client, headers = _client(app)
    page = _begin(app, "/boards/2/match/new", "Ann", "Bob")
    moved = client.post(f"{page}/move", data={"board": "3"}, headers=headers)
    assert (moved.status_code, moved.location) == (303, page)
    shown = [_shown(to_plain(boards.get(number).scoreboard.state)) for number in (2, 3)]
    assert shown == [None, ["Ann", "Bob"]]
    assert "Moved to board 3" in client.get(page).text
    log = services_of(app).store.log(1)
    assert log[-1] == MatchMoved(at_board=3)
    client.post(f"{page}/undo", data={"seen": str(len(log)), "key": "k"}, headers=headers)
    boards.close()
    shown = [_shown(to_plain(boards.get(number).scoreboard.state)) for number in (2, 3)]
    assert shown == [["Ann", "Bob"], None]


@pytest.mark.usefixtures("boards")
def test_only_the_scorer_of_all_boards_moves_a_match_and_only_to_a_board_that_there_is(
    app: Flask,
) -> None:
    client, headers = _client(app)
    page = _begin(app, "/boards/2/match/new", "Ann", "Bob")
    assert app.test_client().post(f"{page}/move", data={"board": "3"}).status_code == 401
    board_scorer = app.test_client()
    secret = services_of(app).secret
    with board_scorer.session_transaction() as session:
        session.update(csrf="token", board=2, board_code=secret.board_code(2))
    form = {"csrf": "token", "board": "3"}
    assert board_scorer.post(f"{page}/move", data=form).status_code == 401
    assert "Move the match" not in board_scorer.get(page).text
    event = {"type": "match_moved", "at_board": 9}
    refused = client.post("/api/v1/matches/1/events", json=event, headers=headers)
    assert (refused.status_code, refused.json["error"][:19]) == (409, "There is no board 9")
    entered = client.post(
        "/api/v1/matches/1/events", json={**event, "at_board": 1}, headers=headers
    )
    assert (entered.status_code, entered.json["at_board"]) == (201, 1)


def test_a_tournament_s_match_moves_whether_it_has_begun_or_not(
    app: Flask, boards: LiveBoards
) -> None:
    client, headers = _client(app)
    parts = services_of(app)
    log = with_stage(started(4, boards=3), StageKind.SWISS, range(4), rounds=2)
    log = append_event(log, pair_next_round(fold_tournament(log), 0))
    number = parts.tournaments.create(log[0], log[1:], now=now())  # type: ignore[arg-type]
    boards.publish_tournament(number)

    def move(match: int, board: int) -> list[int | None]:
        form = {"match": str(match), "board": str(board)}
        path = f"/tournaments/{number}/board"
        assert client.post(path, data=form, headers=headers).status_code == 303
        state = parts.tournaments.read(number).state
        assert state is not None
        return [match.board for match in state.matches]

    first, second = (match.board for match in fold_tournament(log).matches)
    assert first is not None
    assert second is not None
    free = 3 - first - second
    begun = client.post(f"/boards/{first + 1}/match/begin", headers=headers)
    assert begun.status_code == 303
    assert move(0, free) == [free, second]
    assert to_plain(boards.get(free + 1).scoreboard.state)["match"]["tournament"] == [number, 0]
    assert to_plain(boards.get(first + 1).scoreboard.state)["match"] is None
    assert move(1, first) == [free, first]
    assert to_plain(boards.get(first + 1).scoreboard.state)["pairing"]["match"] == 1
    assert move(0, first) == [free, first]  # the other match is played there
    assert to_plain(boards.get(free + 1).scoreboard.state)["match"]["tournament"] == [number, 0]
