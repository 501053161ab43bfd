"""A club's evening over HTTP: from the form of a new tournament to the finals."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from scorer.tournament.state import TournamentState
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.services import services_of

NAMES = [f"Player {k + 1}" for k in range(12)]


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    config = Config(database=str(tmp_path / "matches.db"), is_rate_limit_off=True)
    made = create_app(config)
    yield made
    close_app(made)


class Organiser:
    """The organiser's browser: sends the forms that the pages hold."""

    def __init__(self, app: Flask) -> None:
        self.app, self.client = app, app.test_client()
        self.headers = {"Authorization": f"Bearer {services_of(app).secret.token}"}

    def begin(self, **form: str) -> None:
        given = {
            "name": "Club night",
            "entries": "\n".join(NAMES),
            "boards": "5",
            "plan": "club",
            "rules": "nca",
            "kind": "swiss",
            "rounds": "3",
            "criteria": "nca",
        }
        answer = self.client.post("/tournaments/new", data=given | form, headers=self.headers)
        assert answer.status_code == 303, answer.text

    def act(self, action: str, **form: object) -> str:
        data = {"events": str(self.stored_events()), **{k: str(v) for k, v in form.items()}}
        answer = self.client.post(f"/tournaments/1/{action}", data=data, headers=self.headers)
        assert answer.status_code == 303
        return self.client.get("/tournaments/1").text

    def stored_events(self) -> int:
        return services_of(self.app).tournaments.read(1).events

    @property
    def state(self) -> TournamentState:
        state = services_of(self.app).tournaments.read(1).state
        assert state is not None
        return state


def play_round(organiser: Organiser, stage: int, rng: random.Random) -> None:
    organiser.act("pair", stage=stage)
    most = 8
    decisive = organiser.state.stages[stage].kind.is_knockout
    while organiser.state.open_matches:
        playing = [
            k for k in organiser.state.open_matches if organiser.state.matches[k].board is not None
        ]
        first = rng.choice([k for k in range(most + 1) if not decisive or 2 * k != most])
        organiser.act(
            "result",
            match=playing[0],
            first=first,
            first_twenties=rng.randrange(9),
            second_twenties=rng.randrange(9),
        )


def test_an_evening_from_the_first_form_to_the_final(app: Flask) -> None:
    rng = random.Random(20)
    organiser = Organiser(app)
    organiser.begin()
    play_round(organiser, 0, rng)
    organiser.act("enter", entry="Late Larry", stage=0)
    play_round(organiser, 0, rng)
    page = organiser.client.get("/tournaments/1", headers=organiser.headers).text
    assert '<select id="leaving" name="entry" required><option value="">' in page
    organiser.act("leave", entry=3)
    corrected = next(k for k, each in enumerate(organiser.state.matches) if not each.is_bye)
    organiser.act("result", match=corrected, first=8, first_twenties=9, second_twenties=0)
    play_round(organiser, 0, rng)
    assert organiser.state.is_stage_over(0)

    # What an independent reading of the exported matches gives.
    told = organiser.client.get("/tournaments/1/export.json").get_json()
    points: Counter[str] = Counter()
    twenties: Counter[str] = Counter()
    for match in told["matches"]:
        for k, name in enumerate((match["first"], match["second"])):
            if name is not None:
                points[name] += match["points"][k]
                twenties[name] += match["twenties"][k]
    (table,) = told["stages"][0]["standings"]
    assert {each["name"]: each["points"] for each in table} == {
        name: points[name] for name in [*NAMES, "Late Larry"]
    }
    assert [each["points"] for each in table] == sorted(points.values(), reverse=True)
    by_points = defaultdict(list)
    for each in table:
        by_points[each["points"]].append(each)
    for level in by_points.values():
        assert [each["twenties"] for each in level] == sorted(
            (each["twenties"] for each in level), reverse=True
        )
        assert all(each["decided_by"] != "points" for each in level[1:])

    organiser.act(
        "stage", name="Gold", low=1, high=4, kind="single_knockout", criteria="nca", **{"from": 0}
    )
    gold = organiser.state.stages[1]
    assert [organiser.state.entries[entry].name for entry in gold.entries] == [
        each["name"] for each in table if each["name"] != "Player 4"
    ][:4]
    for _ in range(2):
        play_round(organiser, 1, rng)
    assert organiser.state.is_stage_over(1)
    for page in ("", "/wall", "/print/pairings", "/print/standings", "/print/cards", "/export.csv"):
        assert organiser.client.get(f"/tournaments/1{page}").status_code == 200
    assert "Player" in organiser.client.get("/tournaments/ratings").text


def test_both_sides_report_by_the_boards_code_and_nobody_without_it(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin(entries="Ann\nBob", boards="1", kind="round_robin", rounds="")
    organiser.act("pair", stage=0)
    sheet = organiser.client.get("/tournaments/1/print/codes", headers=organiser.headers).text
    (address,) = re.findall(r"http://[^<\s]+?(/t/1/0/\w+)", sheet)
    phone = app.test_client()
    assert phone.get("/t/1/0/000000000000000").status_code == 404
    assert phone.get("/tournaments/1/print/codes").status_code == 404

    def report(by: str, first: int, phone: FlaskClient = phone) -> str:
        (csrf,) = re.findall(r'name="csrf" value="([^"]+)"', phone.get(address).text)[:1]
        form = {"csrf": csrf, "by": by, "match": "0", "first": str(first), "back": address}
        answer = phone.post(address, data=form, follow_redirects=True)
        return answer.text

    assert "The result counts once the other side reports the same" in report("first", 5)
    assert "This device has reported for the other side" in report("second", 5)
    left = {"csrf": phone.get("/join").text.split('name="csrf" content="')[1].split('"')[0]}
    assert phone.post("/leave", data=left).status_code == 303
    assert "This device has reported for the other side" in report("second", 5)
    other = app.test_client()
    assert "different results" in report("second", 3, other)
    assert organiser.state.matches[0].result is None
    assert "the result counts" in report("second", 5, other)
    assert organiser.state.matches[0].winner == organiser.state.matches[0].first
    services_of(app).secret.replace_token()
    assert other.get(address).status_code == 404
    assert other.post(address, data={"by": "first"}).status_code in (403, 404)


def test_a_stale_page_is_refused_and_changes_nothing(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin()
    stale = {"events": "3", "stage": "0"}
    answer = organiser.client.post(
        "/tournaments/1/pair", data={**stale, "back": "/tournaments/1"}, headers=organiser.headers
    )
    assert answer.status_code == 303
    assert "Somebody else changed" in organiser.client.get("/tournaments/1").text
    assert organiser.state.matches == ()


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"entries": "Ann"}, "Give at least 2 entries."),
        ({"entries": "Ann\nann"}, "has already entered"),
        ({"boards": "0"}, "Give at least 1 boards."),
        ({"boards": "many"}, "no whole number for the boards"),
        ({"plan": "x"}, "Choose the match"),
        ({"kind": "x"}, "how the entries are paired"),
        ({"name": "\u202e"}, "cannot be shown"),
    ],
)
def test_a_form_that_cannot_be_is_one_sentence(
    app: Flask, form: dict[str, str], sentence: str
) -> None:
    organiser = Organiser(app)
    organiser.begin(**form, back="/tournaments/new")
    assert services_of(app).tournaments.list_tournaments() == ()
    page = organiser.client.get("/tournaments/new", headers=organiser.headers).text
    (problem,) = re.findall(r'role="alert">(.*?)</p>', page)
    assert sentence in problem


def test_only_the_organiser_writes(app: Flask) -> None:
    Organiser(app).begin()
    assert app.test_client().post("/tournaments/1/pair", data={"stage": "0"}).status_code == 401
    assert app.test_client().get("/tournaments/new").status_code == 401
    assert app.test_client().get("/tournaments/2").status_code == 404
