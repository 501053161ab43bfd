"""Write access, allowed contents of a page, and secrets that are never shown."""

from __future__ import annotations

import json
import logging
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from itsdangerous import TimestampSigner

from scorer.match.events import MatchStarted
from scorer.rules.choices import Format
from scorer.store import StoreError
from webapp.auth import allow_anyone
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.http.logs import LOG, JsonLines
from webapp.http.rate_limit import PermitRate, RateLimiter
from webapp.http.token import Secret, SecretError
from webapp.services import services_of


@pytest.fixture
def app(tmp_path: Path) -> Flask:
    app = create_app(Config(database=str(tmp_path / "matches.db")))

    @app.post("/write")
    def write() -> str:
        return "written"

    @app.post("/send")
    @allow_anyone
    def send() -> str:
        return "sent"

    return app


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def csrf(client: FlaskClient) -> str:
    page = client.get("/join").text
    return page.split('name="csrf" content="')[1].split('"')[0]


def join(client: FlaskClient, token: str) -> Any:
    return client.post("/join", data={"csrf": csrf(client), "token": token})


@pytest.mark.parametrize(
    ("back", "place"),
    [("/practice", "/practice"), ("//evil", "/"), ("", "/match/1")],
    ids=["from a page", "from elsewhere", "from nowhere, in mid-match"],
)
def test_who_joins_comes_back_or_to_the_match_in_play(
    back: str, place: str, app: Flask, client: FlaskClient
) -> None:
    assert join(client, token_of(app)).headers["Location"] == "/"  # there is no match yet
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    services_of(app).scoreboard.begin(setup)
    other = app.test_client()
    page = other.get("/practice").text
    assert 'href="/join?back=/practice"' in page
    wrong = other.post("/join", data={"csrf": csrf(other), "token": "guess", "back": back})
    form = {"csrf": csrf(other), "token": token_of(app), "back": back}
    assert f'name="back" value="{back}"' in other.get(wrong.headers["Location"]).text or not back
    assert other.post("/join", data=form).headers["Location"] == place


def token_of(app: Flask) -> str:
    return services_of(app).secret.token


def test_writing_needs_the_token(app: Flask, client: FlaskClient) -> None:
    assert client.post("/write", data={"csrf": csrf(client)}).status_code == 401
    join(client, token_of(app))
    assert client.post("/write", data={"csrf": csrf(client)}).text == "written"


def test_program_writes_with_the_token_alone(app: Flask, client: FlaskClient) -> None:
    headers = {"Authorization": f"Bearer {token_of(app)}"}
    assert client.post("/write", headers=headers).text == "written"
    assert client.post("/write", headers={"Authorization": "Bearer x"}).status_code == 401


def test_another_sites_page_cannot_write(app: Flask, client: FlaskClient) -> None:
    join(client, token_of(app))
    assert client.post("/write").status_code == 403
    assert client.post("/write", data={"csrf": "guess"}).status_code == 403
    headers = {"Sec-Fetch-Site": "cross-site"}
    assert client.post("/write", data={"csrf": csrf(client)}, headers=headers).status_code == 403
    assert client.post("/send").status_code == 403


def test_cookie_is_kept_from_scripts_and_other_sites(app: Flask, client: FlaskClient) -> None:
    cookie = join(client, token_of(app)).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert token_of(app) not in cookie


def test_new_token_locks_the_old_one_out(app: Flask, client: FlaskClient) -> None:
    old = token_of(app)
    join(client, old)
    services_of(app).secret.replace_token()
    assert client.post("/write", data={"csrf": csrf(client)}).status_code == 401
    assert join(client, old).status_code == 303
    assert client.post("/write", data={"csrf": csrf(client)}).status_code == 401


def test_guessing_is_slowed_down(client: FlaskClient) -> None:
    answers = [join(client, "guess").status_code for _ in range(14)]
    assert answers[0] == 303
    assert answers[-1] == 429


def test_the_right_token_is_let_in_whatever_others_of_its_address_guess(
    app: Flask, client: FlaskClient
) -> None:
    guesser = app.test_client()
    wrong = {"Authorization": "Bearer guess"}
    for _ in range(30):
        join(guesser, "guess")
        guesser.get("/", headers=wrong)
    assert join(guesser, "guess").status_code == 429
    assert guesser.get("/", headers=wrong).status_code == 429
    right = {"Authorization": f"Bearer {token_of(app)}"}
    assert app.test_client().post("/write", headers=right).text == "written"
    assert join(client, token_of(app)).status_code == 303
    assert client.post("/write", data={"csrf": csrf(client)}).text == "written"


@pytest.mark.parametrize(("proxies", "others_wait"), [(0, True), (1, False)])
def test_guesses_are_counted_by_the_visitor_whom_trusted_proxies_name(
    tmp_path: Path, proxies: int, others_wait: bool
) -> None:
    app = create_app(Config(database=str(tmp_path / "matches.db"), proxies=proxies))

    def guess(came_from: str) -> int:
        headers = {"Authorization": "Bearer guess", "X-Forwarded-For": came_from}
        return app.test_client().get("/", headers=headers).status_code

    for k in range(12):
        guess(f"10.0.0.{k}, 192.0.2.1")  # a visitor's additions come before the proxy's
    assert guess("192.0.2.1") == 429
    assert (guess("192.0.2.2") == 429) == others_wait
    close_app(app)


@pytest.mark.parametrize("path", ["/", "/join", "/healthz", "/nope", "/static/base.css"])
def test_every_answer_carries_the_policy(client: FlaskClient, path: str) -> None:
    with client.get(path) as answer:
        headers = answer.headers
    assert "script-src 'self';" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/static/../config.py", "/static/%2e%2e/config.py", "/static//etc/passwd"]
)
def test_no_file_outside_the_folder_is_served(client: FlaskClient, path: str) -> None:
    assert client.get(path, follow_redirects=True).status_code == 404


def test_too_large_an_upload_is_refused(tmp_path: Path) -> None:
    app = create_app(Config(database=str(tmp_path / "m.db"), upload_bytes=1000))
    client = app.test_client()
    data = {"csrf": csrf(client), "token": "x" * 2000}
    assert client.post("/join", data=data).status_code == 413


def test_way_back_after_a_problem_stays_on_this_server(app: Flask, client: FlaskClient) -> None:
    from scorer.match.events import MatchError

    @app.post("/fail")
    def fail() -> str:
        raise MatchError("That cannot be.")

    join(client, token_of(app))
    for back, place in (("/join", "/join"), ("//evil", "/"), ("https://evil", "/"), ("/\\e", "/")):
        answer = client.post("/fail", data={"csrf": csrf(client), "back": back})
        assert answer.headers["Location"] == place


def test_programs_get_errors_as_json(client: FlaskClient) -> None:
    answer = client.get("/nope", headers={"Accept": "application/json"})
    assert answer.json == {"error": "Page not found."}


def test_a_failure_is_logged_with_its_traceback_under_the_number_that_its_page_shows(
    app: Flask, client: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    @app.get("/fall")
    def fall() -> str:
        raise ZeroDivisionError("in a view")

    @app.get("/lost")
    def lose() -> str:
        raise StoreError("The database is gone.")

    for address, code in (("/fall", 500), ("/lost", 503)):
        for headers in ({}, {"Accept": "application/json"}):
            caplog.clear()
            answer = client.get(address, headers=headers)
            assert answer.status_code == code
            number = answer.headers["X-Request-Id"]
            assert number == answer.json["id"] if headers else number in answer.text
            (failure,) = [record for record in caplog.records if record.exc_info]
            line = json.loads(JsonLines().format(failure))
            assert (line["id"], line["path"], line["level"]) == (number, address, "error")
            assert "Traceback" in line["trace"]
            assert "in a view" in line["trace"] or "is gone" in line["trace"]
    assert "id" not in client.get("/nope", headers={"Accept": "application/json"}).json


def test_log_holds_no_query_and_no_token(app: Flask, client: FlaskClient) -> None:
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(JsonLines().format(record))

    handler = Kept()
    LOG.addHandler(handler)
    LOG.setLevel(logging.DEBUG)
    try:
        client.get("/?token=abc")
        join(client, token_of(app))
    finally:
        LOG.removeHandler(handler)
    told = [json.loads(line) for line in lines]
    assert told[0]["path"] == "/"
    assert told[0]["status"] == 200
    assert not any("abc" in line or token_of(app) in line for line in lines)


def test_secret_survives_a_restart_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.db.secret"
    first = Secret(path)
    assert Secret(path).token == first.token
    assert path.stat().st_mode & 0o077 == 0
    old = first.token
    first.replace_token()
    assert Secret(path).token == first.token != old
    assert not first.is_token(old)


def test_a_code_that_cannot_be_kept_is_not_used_and_the_scorer_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    app = create_app(Config(database=str(tmp_path / "m.db"), secret=path))
    client, token = app.test_client(), token_of(app)
    join(client, token)
    in_the_way = tmp_path / f"secret.{os.getpid()}.new"  # like a full disk that refuses the file
    in_the_way.mkdir()
    page = client.get("/join").text
    csrf = re.search(r'name="csrf" content="([^"]+)"', page)
    assert csrf is not None
    for headers in ({}, {"Accept": "application/json"}):
        refused = client.post(
            "/token", data={"csrf": csrf[1]}, headers=headers, follow_redirects=True
        )
        assert "The token cannot be saved" in refused.text
        assert refused.status_code == (503 if headers else 200)
    assert client.get("/match/new").status_code == 200
    assert (token_of(app), Secret(path).token) == (token, token)
    in_the_way.rmdir()
    assert client.post("/token", data={"csrf": csrf[1]}).status_code == 303
    assert Secret(path).token == token_of(app) != token
    assert client.get("/match/new").status_code == 200
    close_app(app)


def test_spoilt_secret_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text('{"token": 3}')
    with pytest.raises(SecretError, match="Delete the file to get"):
        Secret(path)


def test_permits_come_back_with_time() -> None:
    clock = [0.0]
    limit = RateLimiter(PermitRate(burst=2, per_s=0.5), clock_s=lambda: clock[0])
    assert [limit.take("a") == 0 for _ in range(3)] == [True, True, False]
    assert limit.take("b") == 0
    clock[0] = 2.0
    assert limit.take("a") == 0
    assert limit.take("a") == pytest.approx(2.0)


@pytest.mark.parametrize("board", [None, 2], ids=["the server's scorer", "a board's scorer"])
def test_a_copied_cookie_is_void_once_its_scorer_has_left(
    tmp_path: Path, board: int | None
) -> None:
    config = Config(database=str(tmp_path / "m.db"), secret=tmp_path / "s.secret")
    app = create_app(config)
    services_of(app).boards.add_board("")
    client, copier = app.test_client(), app.test_client()
    place = "" if board is None else f"/boards/{board}"
    secret = services_of(app).secret
    code = secret.token if board is None else secret.board_code(board)

    def begin(browser: FlaskClient) -> int:
        form = {"preset": "club", "format": "two", "player0": "Ann", "player1": "Bob"}
        return browser.post(f"{place}/match/new", data=form | {"csrf": csrf(browser)}).status_code

    def enter() -> str:
        client.post(f"{place}/join", data={"csrf": csrf(client), "token": code})
        cookie = client.get_cookie("crokinole")
        assert cookie is not None
        return cookie.value

    assert begin(client) == 401
    copier.set_cookie("crokinole", cookie := enter())
    assert begin(copier) == 303
    client.post("/leave", data={"csrf": csrf(client)})
    copier.set_cookie("crokinole", cookie)
    assert (begin(client), begin(copier)) == (401, 401)
    enter()
    assert begin(client) == 303
    close_app(app)
    again = create_app(config)  # the server has been restarted
    copier = again.test_client()
    copier.set_cookie("crokinole", cookie)
    assert begin(copier) == 401
    close_app(again)


def test_a_spectator_who_leaves_changes_no_file(tmp_path: Path) -> None:
    app = create_app(Config(database=str(tmp_path / "m.db"), secret=tmp_path / "s.secret"))
    client, kept = app.test_client(), (tmp_path / "s.secret").read_bytes()
    client.post("/leave", data={"csrf": csrf(client)})
    assert (tmp_path / "s.secret").read_bytes() == kept
    close_app(app)


@pytest.mark.parametrize(
    ("made_s", "may_write"),
    [(3600, True), (-3600, True), (-3 * 86400 + 60, True), (-3 * 86400 - 60, False)],
    ids=["clock set back", "clock set forward", "three days", "older"],
)
def test_a_scorer_stays_in_for_three_days_whatever_the_clock_is_set_to(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch, made_s: int, may_write: bool
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(TimestampSigner, "get_timestamp", lambda _: int(time.time()) + made_s)
        join(client, token_of(app))
        sent = {"csrf": csrf(client)}
    assert client.post("/write", data=sent).status_code == (200 if may_write else 401)
