"""Photos over HTTP: limits, refusals, and that figures from the browser are ignored."""

from __future__ import annotations

import io
import re
import struct
import zlib
from functools import partial
from time import monotonic
from typing import Any

import cv2
import numpy as np
import pytest
from clear_picture import make_clear_picture
from drawn_board import draw_board, frame_of, view_of
from flask import Flask
from flask.testing import FlaskClient

from calibration.phrase import Phrase
from scorer.match.events import (
    MatchStarted,
    RoundCorrected,
    RoundScored,
    TwentyCounted,
    Undone,
)
from scorer.match.fold import fold
from scorer.referee.review.review_stage import ReviewStage
from scorer.rules.choices import Format
from webapp.jobs.job_services import job_services_of
from webapp.jobs.snapshot_job import preload
from webapp.jobs.worker import Task
from webapp.services import services_of

CLEAR = make_clear_picture()
PATIENCE_S = 90.0


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def csrf(client: FlaskClient) -> str:
    return client.get("/join").text.split('name="csrf" content="')[1].split('"')[0]


def join(app: Flask, client: FlaskClient) -> None:
    token = services_of(app).secret.token
    client.post("/join", data={"csrf": csrf(client), "token": token})


def send(client: FlaskClient, content: bytes, name: str = "board.jpg") -> Any:
    data = {"csrf": csrf(client), "photo": (io.BytesIO(content), name)}
    return client.post("/score", data=data, headers={"Accept": "application/json"})


def outcome(app: Flask, client: FlaskClient, content: bytes) -> tuple[str, str]:
    """The address of an uploaded photo, and its page once it was read."""
    address = send(client, content).json["address"]
    snapshot = job_services_of(app).snapshots.get(address.rsplit("/", 1)[1])
    assert snapshot is not None
    assert job_services_of(app).worker.wait(snapshot.task, PATIENCE_S)
    return address, client.get(address).text


def read_notes(page: str) -> list[tuple[str, str]]:
    """The notes at the top of a page: their kinds and texts."""
    return re.findall(r'<p class="note (\w+)" role="(?:alert|status)">(.*?)</p>', page)


def is_asking_who_plays(page: str) -> bool:
    """Whether the form that saves the round asks first who plays each colour."""
    return bool(re.search(r'<form[^>]*id="keep">(\s*<input[^>]*>)*\s*<p>', page))


def picture_of_size(width: int, height: int) -> bytes:
    """A PNG that states this size and contains no pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    empty = zlib.compress(b"")
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", empty) + chunk(b"IEND", b"")
    )


def test_too_many_bytes_are_refused_before_they_are_read(client: FlaskClient) -> None:
    refused = client.post(
        "/score",
        data={"csrf": csrf(client)},
        headers={"Accept": "application/json"},
        environ_overrides={"CONTENT_LENGTH": str(81 * 1024**2)},
    )
    assert refused.status_code == 413
    assert refused.json["error"] == "The file is larger than 80 MB. Send a smaller one."


def test_a_photograph_as_large_as_phones_of_200_megapixels_write_is_scored(
    app: Flask, client: FlaskClient
) -> None:
    content = CLEAR + b"\0" * 70_000_000  # bytes after a JPEG's end are no picture
    assert len(content) < app.config["MAX_CONTENT_LENGTH"]
    snapshot = job_services_of(app).snapshots.take(content, "board.jpg", None)
    assert job_services_of(app).worker.wait(snapshot.task, PATIENCE_S)
    assert "Photo score" in client.get(f"/score/{snapshot.key}").text
    assert not (snapshot.folder / "upload").exists()  # it was read, and takes up no place any more


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (picture_of_size(12_000, 9_000), "over 64 megapixels"),
        (picture_of_size(4_000, 3_000), "damaged"),
        (b"not a picture at all", "is not a photo, or it is damaged"),
        (CLEAR[:3000], "could not be scored"),
    ],
    ids=["too many pixels", "no pixels", "no picture", "broken off"],
)
def test_a_bad_upload_says_what_to_do(
    app: Flask, client: FlaskClient, content: bytes, words: str
) -> None:
    assert words in outcome(app, client, content)[1]


def test_a_phones_heic_is_scored_too(app: Flask, client: FlaskClient) -> None:
    import pillow_heif
    from PIL import Image

    pillow_heif.register_heif_opener()
    heic = io.BytesIO()
    Image.open(io.BytesIO(CLEAR)).save(heic, "HEIF", quality=90)
    points = re.findall(r'class="points">(\d+)', outcome(app, client, heic.getvalue())[1])
    assert points == ["10", "25"]


def test_nothing_sent_is_said(client: FlaskClient) -> None:
    answer = client.post("/score", data={"csrf": csrf(client)}, follow_redirects=True)
    assert "First choose a photo." in answer.text
    assert "The file is empty" in send(client, b"").text


def test_a_full_queue_says_that_it_is_busy(app: Flask, client: FlaskClient, monkeypatch) -> None:
    monkeypatch.setattr(job_services_of(app).worker, "_most_waiting", 0)
    answer = send(client, CLEAR)
    assert answer.status_code == 503
    assert "again in a minute" in answer.json["error"]
    assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.parametrize(
    "path", ["/score/none/photo.jpg", "/score/..%2f..%2fetc/photo.jpg"], ids=str
)
def test_a_photograph_that_is_not_there_is_not_found(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_photograph_that_ended_with_the_server_is_asked_for_again(client: FlaskClient) -> None:
    form = {"csrf": csrf(client), "what": "zone", "value": "15"}
    for ask in (client.get, partial(client.post, data=form)):
        answer = ask("/score/gone/disc/1")
        assert (answer.status_code, answer.location) == (303, "/score")
        ((kind, text),) = read_notes(client.get("/score").text)
        assert kind == "problem"
        assert "is no longer available" in text
    assert client.get("/score/gone/progress").json == {"is_done": True, "words": ""}


def test_the_page_is_read_from_the_picture_and_kept_with_corrections(
    app: Flask, client: FlaskClient
) -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    number = services_of(app).scoreboard.begin(setup)
    for side in (0, 1):  # side 1's disc is still in the hole
        services_of(app).scoreboard.append(number, TwentyCounted(side=side))
    join(app, client)
    address, page = outcome(app, client, CLEAR)
    assert 'class="note sure"' in page
    assert re.findall(r'id="twenties_\d"[^>]*value="(\d)"', page) == ["1", "1"]
    assert is_asking_who_plays(page)
    choices = re.findall(r'<input type="radio" name="team_\d"[^>]*>', page)
    assert len(choices) == 6
    # it is not known who plays which colour
    assert not any("checked" in choice for choice in choices)
    with client.get(f"{address}/photo.jpg") as photo:
        assert photo.mimetype == "image/jpeg"
    assert client.get(f"{address}/upload").status_code == 404
    form = {"csrf": csrf(client), "what": "zone", "value": "15"}
    assert client.post(f"{address}/disc/1", data=form).status_code == 303
    assert client.post(f"{address}/disc/1", data={**form, "value": "99"}).status_code == 303
    assert client.post(f"{address}/disc/1", data={**form, "what": "points"}).status_code == 400
    told = {
        "csrf": csrf(client),
        "match": "1",
        "twenties_0": "1",
        "twenties_1": "0",
        "points": "999",
    }
    unsaid = client.post(f"{address}/save", data={**told, "team_1": "0"})
    page = client.get(unsaid.location).text
    assert [kind for kind, _ in read_notes(page)] == ["problem"]
    assert "Choose a colour for each side" in page
    assert len(re.findall(r'name="team_\d" [^>]*checked', page)) == 1  # as it was chosen
    same = client.post(f"{address}/save", data={**told, "team_0": "0", "team_1": "0"})
    assert same.status_code == 303
    refused = client.get(same.location).text
    assert [kind for kind, _ in read_notes(refused)] == ["problem"]
    assert "Each side needs its own colour" in refused
    assert re.search(r'id="twenties_0"[^>]*value="1"', refused)  # the typed values are still there
    client.post(f"{address}/save", data={**told, "team_0": "0", "team_1": "1"})
    client.post(f"{address}/save", data={**told, "team_0": "0", "team_1": "1"})
    (kept,) = (e for e in services_of(app).store.log(1) if isinstance(e, RoundScored))
    assert kept.points == (15 + 5 + 20, 25)
    assert kept.twenties == (1, 1)
    assert kept.corrections == ("brown disc 1: 5 to 15",)
    assert kept.colours == ("brown", "black")
    assert sum(disc.zone for disc in kept.board) + 20 * 2 == sum(kept.points)
    assert all(disc.place_mm and disc.sigma_mm for disc in kept.board)
    assert fold(services_of(app).store.log(1)).rounds[0].board == kept.board
    _check_corrections_after_keeping(app, client, address, form)


def _check_corrections_after_keeping(
    app: Flask, client: FlaskClient, address: str, form: dict[str, str]
) -> None:
    """Corrections after saving also correct the match, by an event that can be undone."""
    store, board = services_of(app).store, services_of(app).scoreboard
    client.post(f"{address}/disc/1", data={**form, "value": "10"})
    (corrected,) = (e for e in store.log(1) if isinstance(e, RoundCorrected))
    assert (corrected.round, corrected.points) == (1, (15 + 20, 25))
    stranger = app.test_client()
    data = {**form, "csrf": csrf(stranger), "value": "15"}
    before = store.log(1)
    refused = stranger.post(f"{address}/disc/1", data=data, follow_redirects=True)
    assert [kind for kind, _ in read_notes(refused.text)] == ["problem"]
    assert "Join as the scorer to correct it" in refused.text
    assert store.log(1) == before
    services_of(app).boards.add_board("")
    code, neighbour = services_of(app).secret.board_code(2), app.test_client()
    neighbour.post("/boards/2/join", data={"csrf": csrf(neighbour), "token": code})
    data = {**form, "csrf": csrf(neighbour), "value": "15"}
    neighbour.post(f"/boards/2{address}/disc/1", data=data)
    sides = {"match": "1", "twenties_0": "1", "twenties_1": "0", "team_0": "0", "team_1": "1"}
    saved = neighbour.post(f"/boards/2{address}/save", data={**data, **sides})
    assert (saved.status_code, len(store.log(1))) == (401, 5)
    board.append(1, Undone())
    assert fold(store.log(1)).rounds[0].points == (15 + 5 + 20, 25)
    board.append(1, Undone())  # the round itself, and with it the colours that it introduced
    assert fold(store.log(1)).setup.colours == ()
    page = client.get(address).text
    assert re.search(r'id="keep">.*?<button class="main">[^<]*\b1</button>', page, re.DOTALL)
    assert re.findall(r'type="hidden" name="team_\d" value="(\w+)"', page) == ["0", "1"]
    assert re.findall(r'id="twenties_\d"[^>]*value="(\d)"', page) == ["1", "0"]
    client.post(f"{address}/undo", data=form)
    assert not fold(store.log(1)).rounds


@pytest.mark.parametrize(
    ("colours", "chosen", "words"),
    [
        pytest.param(("black", "brown"), ["1", "0"], None, id="both are known"),
        pytest.param(("red", "brown"), ["1", "0"], None, id="one is known, and one is left"),
        pytest.param(
            ("red", "green"),
            [],
            "The match and the photo have different colours",
            id="none is known",
        ),
        pytest.param((), [], "Choose who plays each colour in this match.", id="nobody said"),
        pytest.param(("", "black"), ["0", "1"], None, id="one is known, the other was not said"),
    ],
)
def test_a_colour_is_a_side_s_only_where_the_match_knows_it(
    app: Flask, client: FlaskClient, colours: tuple[str, ...], chosen: list[str], words: str | None
) -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=colours)
    services_of(app).scoreboard.begin(setup)
    join(app, client)
    _, page = outcome(app, client, CLEAR)
    assert re.findall(r'type="hidden" name="team_\d" value="(\w+)"', page) == chosen
    assert is_asking_who_plays(page) == (words is not None)
    assert words is None or words in page
    assert not re.search(r'type="radio" name="team_\d"[^>]*checked', page)


def test_a_round_kept_with_other_colours_than_before_says_so(
    app: Flask, client: FlaskClient
) -> None:
    setup = MatchStarted(
        rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("red", "green")
    )
    services_of(app).scoreboard.begin(setup)
    join(app, client)
    address, _ = outcome(app, client, CLEAR)
    told = {"match": "1", "twenties_0": "0", "twenties_1": "0", "team_0": "0", "team_1": "1"}
    data = {"csrf": csrf(client), **told}
    kept = client.post(f"{address}/save", data=data, follow_redirects=True)
    said = " ".join(text for _, text in read_notes(kept.text))
    names = re.findall("Ann|Bob|red|brown|green|black", said)
    assert names[-6:] == ["Ann", "red", "brown", "Bob", "green", "black"]
    taken = job_services_of(app).snapshots
    assert [team.colour_name for team in taken.find_teams(1)] == ["brown", "black"]
    again, _ = outcome(app, client, CLEAR)  # read with the teams of the first
    second = taken.get(again.rsplit("/", 1)[1])
    assert second is not None
    assert [team.colour_name for team in second.task.result.score.reading.teams] == [
        "brown",
        "black",
    ]
    assert taken.find_teams(2) == ()


def test_a_photo_is_saved_twice_only_if_a_person_insists(app: Flask, client: FlaskClient) -> None:
    setup = MatchStarted(
        rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("brown", "black")
    )
    services_of(app).scoreboard.begin(setup)
    join(app, client)
    told = {"match": "1", "twenties_0": "0", "twenties_1": "0", "team_0": "0", "team_1": "1"}
    first, _ = outcome(app, client, CLEAR)
    data = {"csrf": csrf(client), **told}
    client.post(f"{first}/save", data=data)
    second, page = outcome(app, client, CLEAR)
    assert "already saved as round 1" in page
    assert 'name="again"' in page
    refused = client.post(f"{second}/save", data=data, follow_redirects=True)
    assert [kind for kind, _ in read_notes(refused.text)] == ["problem"]
    assert len(fold(services_of(app).store.log(1)).rounds) == 1
    client.post(f"{second}/save", data={**data, "again": "yes"})
    assert len(fold(services_of(app).store.log(1)).rounds) == 2


def test_a_page_from_before_a_photo_was_saved_does_not_drop_20s_of_another_page(
    app: Flask, client: FlaskClient
) -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    services_of(app).scoreboard.begin(setup)
    join(app, client)
    address, _ = outcome(app, client, CLEAR)
    told = {"csrf": csrf(client), "match": "1", "team_0": "0", "team_1": "1", "seen": ""}
    client.post(f"{address}/save", data={**told, "twenties_0": "2", "twenties_1": "1"})
    saved = services_of(app).store.log(1)
    outdated = {**told, "twenties_0": "0", "twenties_1": "1"}
    answer = client.post(f"{address}/save", data=outdated, follow_redirects=True)
    assert [kind for kind, _ in read_notes(answer.text)] == ["problem"]
    assert services_of(app).store.log(1) == saved
    assert re.findall(r'id="twenties_\d"[^>]*value="(\d)"', answer.text) == ["2", "1"]
    (seen,) = re.findall(r'name="seen" value="([^"]*)"', answer.text)
    client.post(f"{address}/save", data={**outdated, "seen": seen})
    assert isinstance(services_of(app).store.log(1)[-1], RoundCorrected)


def test_a_third_side_without_a_disc_on_the_board_has_none(app: Flask, client: FlaskClient) -> None:
    setup = MatchStarted(
        rules="nca",
        format=Format.THREE_SETS,
        players=("Ann", "Bob", "Cid"),
        colours=("black", "red", "brown"),
    )
    services_of(app).scoreboard.begin(setup)
    join(app, client)
    _, page = outcome(app, client, CLEAR)
    owners = re.findall(r'type="hidden" name="team_\d" value="(\w+)"', page)
    assert owners == ["1", "none", "0"]


def test_an_empty_board_asks_for_20s_alone_and_can_be_kept(app: Flask, client: FlaskClient) -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    services_of(app).scoreboard.begin(setup)
    join(app, client)
    empty = cv2.imencode(".jpg", frame_of(draw_board(view_of())).image)[1].tobytes()
    address, page = outcome(app, client, empty)
    assert re.findall(r'class="points">(\d+)', page) == ["0"]
    assert "other (second)" not in page
    assert "Tap a disc" not in page
    owners = dict(re.findall(r'type="hidden" name="(team_\d)" value="(none)"', page))
    assert len(owners) == 2
    told = {"csrf": csrf(client), "match": "1", "twenties_0": "2", "twenties_1": "0", **owners}
    client.post(f"{address}/save", data=told)
    (kept,) = fold(services_of(app).store.log(1)).rounds
    assert (kept.points, kept.twenties) == ((40, 0), (2, 0))


def test_a_place_on_the_board_proposes_its_zone(app: Flask, client: FlaskClient) -> None:
    address, _ = outcome(app, client, CLEAR)
    places = {(0, 0): 20, (60, 0): 15, (0, 150): 10, (-250, 0): 5, (0, -330): 0}
    for (x, y), zone in places.items():
        told = client.get(f"{address}/zone", query_string={"x_mm": x, "y_mm": y}).json
        assert told == {"zone": zone, "other": None}
    # the base's edge on the 10-line
    told = client.get(f"{address}/zone", query_string={"x_mm": 0, "y_mm": 203.2 - 16.3}).json
    assert {told["zone"], told["other"]} == {10, 5}
    assert client.get(f"{address}/zone", query_string={"x_mm": "nan", "y_mm": 0}).status_code == 400


def test_a_photograph_is_given_up_while_it_is_read(app: Flask, client: FlaskClient) -> None:
    first, second = (send(client, CLEAR).json["address"] for _ in range(2))
    snapshots, worker = job_services_of(app).snapshots, job_services_of(app).worker
    held = [snapshots.get(address.rsplit("/", 1)[1]) for address in (first, second)]
    for address in (second, first):
        answer = client.post(f"{address}/cancel", data={"csrf": csrf(client)})
        assert (answer.status_code, answer.location) == (303, "/score")
    for snapshot in held:
        assert snapshot is not None
        assert worker.wait(snapshot.task, PATIENCE_S)
        assert snapshot.task.result is None
        assert not snapshot.folder.exists()
    assert client.get(f"{first}/progress").json["is_done"]
    assert "10" in outcome(app, client, CLEAR)[1]  # the next photo has its own process


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        pytest.param(Phrase("looking for the discs"), "Scheiben werden gesucht", id="a photo"),
        pytest.param(ReviewStage.FIND_BOARD, "Das Brett wird gesucht", id="a video"),
        pytest.param("", "Wird vorbereitet", id="before the first stage"),
    ],
)
def test_the_stage_of_an_upload_is_in_the_reader_s_language(
    app: Flask, client: FlaskClient, stage: str, words: str
) -> None:
    task = Task(job=preload, arguments=(), is_started=True, progress=stage)
    held = job_services_of(app).snapshots.hold(b"", "a.jpg", lambda *_: task)
    answer = client.get(f"/score/{held.key}/progress", headers={"X-Page-Language": "de"})
    assert answer.json == {"is_done": False, "words": words}


def test_a_preview_shows_the_lines_and_is_bounded(app: Flask, client: FlaskClient) -> None:
    photo = cv2.imdecode(np.frombuffer(CLEAR, np.uint8), cv2.IMREAD_COLOR)
    height, width = 960 * photo.shape[0] // photo.shape[1], 960
    frame = cv2.imencode(".jpg", cv2.resize(photo, (width, height)))[1].tobytes()
    token = {"X-CSRF-Token": csrf(client)}

    def aim(body: bytes, who: str = "phone") -> Any:
        return client.post(f"/score/aim?client={who}&finer=2", data=body, headers=token)

    told = aim(frame).json
    while told["is_busy"]:  # the worker's process is being started
        told = aim(frame).json
    assert (told["size"], told["has_board"], told["is_sure"]) == ([width, height], True, True)
    assert len(told["rings"]) == 5
    x, y = (float(word) for word in told["rings"][3].split()[0].split(","))
    assert 0 < x < width
    assert 0 < y < height
    assert aim(b"GIF89a").status_code == 400
    assert aim(frame, who="").status_code == 400
    assert aim(frame + bytes(400_000)).status_code == 413
    assert client.post("/score/aim?client=a", data=frame).status_code == 403
    aims = job_services_of(app).aims
    until_s = monotonic() + PATIENCE_S
    while (held := aims.look("phone", frame, 1.0)) is None:  # time was short: a phone asks again
        assert monotonic() < until_s
    assert held.view is not None
