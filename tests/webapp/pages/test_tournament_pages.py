"""A club's evening over HTTP: from the form of a new tournament to the finals."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from scorer.match.events import RoundScored
from scorer.tournament.events import ResultReported
from scorer.tournament.pairing import pair_next_round
from scorer.tournament.state import TournamentState
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.live.pairings import make_match
from webapp.pages.files import format_csv
from webapp.services import services_of

NAMES = [f"Player {k + 1}" for k in range(12)]


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    config = Config(database=str(tmp_path / "matches.db"), is_rate_limit_off=True)
    made = create_app(config)
    yield made
    close_app(made)


def read_notes(page: str) -> list[str]:
    """The kinds of the notes at the top of a page: an entry is ``done``, or there is a
    ``problem``.
    """
    return re.findall(r'<p class="note (\w+)" role="(?:alert|status)">', page)


class Organiser:
    """The organiser's browser, which sends the forms of the pages."""

    def __init__(self, app: Flask) -> None:
        self.app, self.client = app, app.test_client()
        self.headers = {"Authorization": f"Bearer {services_of(app).secret.token}"}

    def begin(self, **form: str) -> None:
        answer = self.send_setup(**form)
        assert answer.status_code == 303, answer.text

    def send_setup(self, **form: str) -> TestResponse:
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
        return self.client.post("/tournaments/new", data=given | form, headers=self.headers)

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
    corrected = next(k for k, match in enumerate(organiser.state.matches) if not match.is_bye)
    organiser.act("result", match=corrected, first=8, first_twenties=9, second_twenties=0)
    play_round(organiser, 0, rng)
    assert organiser.state.is_stage_over(0)

    # The result of an independent evaluation of the exported matches.
    told = organiser.client.get("/tournaments/1/export.json").get_json()
    points: Counter[str] = Counter()
    twenties: Counter[str] = Counter()
    for match in told["matches"]:
        for k, name in enumerate((match["first"], match["second"])):
            if name is not None:
                points[name] += match["points"][k]
                twenties[name] += match["twenties"][k]
    (table,) = told["stages"][0]["standings"]
    assert {row["name"]: row["points"] for row in table} == {
        name: points[name] for name in [*NAMES, "Late Larry"]
    }
    assert [row["points"] for row in table] == sorted(points.values(), reverse=True)
    by_points = defaultdict(list)
    for row in table:
        by_points[row["points"]].append(row)
    for level in by_points.values():
        assert [row["twenties"] for row in level] == sorted(
            (row["twenties"] for row in level), reverse=True
        )
        assert all(row["decided_by"] != "points" for row in level[1:])

    organiser.act(
        "stage", name="Gold", low=1, high=4, kind="single_knockout", criteria="nca", **{"from": 0}
    )
    gold = organiser.state.stages[1]
    assert [organiser.state.entries[entry].name for entry in gold.entries] == [
        row["name"] for row in table if row["name"] != "Player 4"
    ][:4]
    for _ in range(2):
        play_round(organiser, 1, rng)
    assert organiser.state.is_stage_over(1)
    for page in ("", "/wall", "/print/pairings", "/print/standings", "/print/cards", "/export.csv"):
        assert organiser.client.get(f"/tournaments/1{page}").status_code == 200
    for page in ("/print", "/pairs"):  # no page, and no form that a page sends
        assert organiser.client.get(f"/tournaments/1{page}").status_code == 404
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

    def report(by: str, first: int, phone: FlaskClient = phone) -> list[str]:
        (csrf,) = re.findall(r'name="csrf" value="([^"]+)"', phone.get(address).text)[:1]
        form = {"csrf": csrf, "by": by, "match": "0", "first": str(first), "back": address}
        answer = phone.post(address, data=form, follow_redirects=True)
        return read_notes(answer.text)

    def reporters() -> list[str]:
        return [claim.by for claim in organiser.state.matches[0].reports]

    assert report("first", 5) == ["done"]
    assert reporters() == ["first"]
    assert report("second", 5) == ["problem"]
    assert reporters() == ["first"]
    left = {"csrf": phone.get("/join").text.split('name="csrf" content="')[1].split('"')[0]}
    assert phone.post("/leave", data=left).status_code == 303
    assert report("second", 5) == ["problem"]
    assert reporters() == ["first"]
    other = app.test_client()
    assert "problem" in report("second", 3, other)
    assert organiser.state.matches[0].is_disputed
    assert organiser.state.matches[0].result is None
    assert report("second", 5, other) == ["done"]
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
    page = organiser.client.get("/tournaments/1").text
    assert read_notes(page) == ["problem"]
    assert "Someone else changed" in page
    assert organiser.state.matches == ()


def test_two_scorers_enter_results_at_the_same_time(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin()
    organiser.act("pair", stage=0)
    before = organiser.stored_events()
    assert read_notes(organiser.act("result", match=0, first=8, events=before)) == []
    assert read_notes(organiser.act("result", match=1, first=5, events=before)) == []
    for outdated in ({"match": 1, "first": 3}, {"match": 99, "first": 3}):
        assert read_notes(organiser.act("result", events=before, **outdated)) == ["problem"]
    results = [match.result and match.result.points for match in organiser.state.matches]
    assert results[:3] == [(8, 0), (5, 3), None]


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"entries": "Ann"}, "Enter at least 2 entries."),
        ({"entries": "Ann\nann"}, "Line 2: ann is already on the list"),
        ({"entries": "Ann\n\nBob\nC\u202ed"}, "Line 4: A name contains the character"),
        ({"boards": "0"}, "Enter at least 1 boards."),
        ({"boards": "many"}, "not valid for the number of boards"),
        ({"plan": "x"}, "Choose the match"),
        ({"kind": "x"}, "Choose a tournament format"),
        ({"name": "\u202e"}, "cannot be shown"),
    ],
)
def test_a_form_that_cannot_be_is_one_sentence(
    app: Flask, form: dict[str, str], sentence: str
) -> None:
    organiser = Organiser(app)
    answer = organiser.send_setup(**form)
    assert answer.status_code == 409
    assert services_of(app).tournaments.list_tournaments() == ()
    (problem,) = re.findall(r'role="alert"[^>]*>(.*?)</p>', answer.text)
    assert sentence in problem


def test_a_refused_form_keeps_all_that_was_typed_and_points_at_the_line(app: Flask) -> None:
    organiser = Organiser(app)
    names = [f"Name {k}" for k in range(1, 43)]
    form = {
        "entries": "\n".join([*names[:20], "name 3", *names[20:]]),
        "name": "Winter cup",
        "boards": "7",
        "plan": "nca",
        "rules": "family",
        "kind": "round_robin",
        "groups": "3",
        "criteria": "nca",
        "order0": "twenties",
    }
    page = organiser.send_setup(**form).text
    assert "\n".join([*names[:20], "name 3", *names[20:]]) in page
    assert 'aria-invalid="true"' in page
    assert 'data-line="21"' in page
    for value in ("Winter cup", "7", "3"):
        assert f'value="{value}"' in page
    assert re.findall(r'<option value="(\w+)" selected', page) == [
        "nca",
        "family",
        "round_robin",
        "nca",
        "twenties",
    ]


def test_names_pasted_from_a_chat_lose_their_numbers_and_dashes(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin(entries="1. Ann\n2) Bob\n\n- Cid &  Dee\n• 3 Fingers Joe\n")
    names = [entry.name for entry in organiser.state.entries]
    assert names == ["Ann", "Bob", "Cid & Dee", "3 Fingers Joe"]


def test_only_the_organiser_writes(app: Flask) -> None:
    Organiser(app).begin()
    assert app.test_client().post("/tournaments/1/pair", data={"stage": "0"}).status_code == 401
    assert app.test_client().get("/tournaments/new").status_code == 401
    assert app.test_client().get("/tournaments/2").status_code == 404


def test_leaving_is_shown_before_it_is_done_and_goes_by_the_rule_or_the_choice(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin(kind="round_robin", entries="\n".join(NAMES[:6]))
    play_round(organiser, 0, random.Random(2))
    before = organiser.stored_events()
    page = organiser.client.get("/tournaments/1/leave?entry=2", headers=organiser.headers).text
    assert organiser.stored_events() == before
    ways = re.findall(r'name="results" value="(\w+)"', page)
    assert ways == ["annulled", "walkovers"]
    recommended = ['<p class="soft">' in card for card in page.split('<section class="card">')[1:]]
    assert recommended == [True, False, False]
    assert page.count("Player 3 withdraws") == 2
    assert page.count('class="standing ranking"') == 3
    assert app.test_client().get("/tournaments/1/leave?entry=2").status_code == 401
    missing = organiser.client.get("/tournaments/1/leave?entry=99", headers=organiser.headers)
    assert missing.status_code == 409
    organiser.act("leave", entry=2)
    assert sum(bool(m.result and m.result.is_annulled) for m in organiser.state.matches) == 1
    assert "annulled" in organiser.client.get("/tournaments/1").text
    organiser.act("undo")
    organiser.act("leave", entry=2, results="walkovers")
    assert sum(bool(m.result and m.result.is_walkover) for m in organiser.state.matches) == 4


def test_correcting_a_walkover_does_not_suggest_a_played_result(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin(entries="Ann\nBob", boards="1")
    organiser.act("pair", stage=0)
    first = organiser.state.matches[0].first

    def list_selected() -> list[str]:
        page = organiser.client.get("/tournaments/1", headers=organiser.headers).text
        form = page.split('id="first0"')[1].split("</form>")[0]
        return re.findall(r'value="(\d+)"(?: selected|>\s*</div>)', form)

    organiser.act("walkover", match=0, winner=first)
    assert list_selected() == []
    organiser.act("result", match=0, first=5, first_twenties=3, second_twenties=1)
    assert list_selected() == ["5", "3", "1"]


def test_everything_by_hand_has_a_form_and_is_undone(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin(entries="\n".join(NAMES[:6]))
    organiser.act("pair", stage=0)
    first, second = (match.first for match in organiser.state.matches[:2])
    before = organiser.state
    for action, form in (
        ("swap", {"stage": 0, "first": first, "second": second}),
        ("rename", {"entry": 1, "name": "Bob & Cid"}),
        ("rest", {"entry": 1}),
        ("order", {"stage": 0, "order0": "twenties", "order1": "wins"}),
    ):
        organiser.act(action, **form)
        assert organiser.state != before, action
        organiser.act("undo")
        assert organiser.state == before, action
    organiser.act("leave", entry=4)
    page = organiser.act("return", entry=4)
    assert not organiser.state.entries[4].has_left
    assert 'role="alert"' not in page
    own = {"stage": 0, "order0": "shoe size"}
    before = organiser.state
    assert read_notes(organiser.act("order", **own)) == ["problem"]
    assert "Choose the tie-breaks" in organiser.act("order", **own)
    assert organiser.state == before


def test_a_match_takes_a_board_from_one_that_has_not_begun_there(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin(boards="6")
    organiser.act("pair", stage=0)
    boards = [match.board for match in organiser.state.matches]
    form = {"match": "0", "board": str(boards[1])}
    answer = organiser.client.post("/tournaments/1/board", data=form, headers=organiser.headers)
    assert answer.status_code == 303
    swapped = [match.board for match in organiser.state.matches]
    assert swapped == [boards[1], boards[0], *boards[2:]]


def test_one_undo_takes_back_a_result_with_the_board_that_it_freed(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin(boards="2")
    organiser.act("pair", stage=0)
    before = organiser.state
    organiser.act("result", match=0, first=8)
    assert sum(match.board is not None for match in organiser.state.matches) == 3
    organiser.act("undo")
    assert organiser.state == before
    organiser.act("undo")
    assert organiser.state.matches == ()
    assert len(organiser.state.stages) == 1


def test_a_tournament_can_start_with_its_first_round_paired(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin(pair="yes")
    assert len(organiser.state.matches) == 6


def test_the_organisers_page_lists_boards_by_number_and_the_csv_names_no_column_twice(
    app: Flask,
) -> None:
    organiser = Organiser(app)
    organiser.begin()
    play_round(organiser, 0, random.Random(1))
    organiser.act("pair", stage=0)
    page = organiser.client.get("/tournaments/1", headers=organiser.headers).text
    newest = page.split("<details><summary>Round 1")[0]
    boards = re.findall(r'<p><span class="soft">Board (\d)</span>', newest)
    assert boards == sorted(boards)
    assert len(boards) == 5
    header = organiser.client.get("/tournaments/1/export.csv").text.splitlines()[0].split(",")
    assert len(set(header)) == len(header)


def _read_board_address(organiser: Organiser) -> str:
    sheet = organiser.client.get("/tournaments/1/print/codes", headers=organiser.headers).text
    return str(re.findall(r"http://[^<\s]+?(/t/1/0/\w+)", sheet)[0])


def _list_forms(page: str) -> list[dict[str, str]]:
    """The forms about a match: their hidden fields, and their buttons' values."""
    forms = re.findall(r"<form.*?</form>", page, re.DOTALL)
    fields = [dict(re.findall(r'name="(\w+)" value="([^"]*)"', form)) for form in forms]
    return [form for form in fields if "match" in form]


def _read_claims(page: str) -> list[tuple[list[str], list[int]]]:
    """The sides that a page's claims name, and the numbers of the claims: points, then 20s."""
    claims = re.findall(r'class="(?:row )?claim">(.*?)(?:<form|</p>)', page, re.DOTALL)
    texts = [re.sub(r"<.*?>|20s", "", claim) for claim in claims]
    return [
        (re.findall("Ann|Bob", text), [int(number) for number in re.findall(r"\d+", text)])
        for text in texts
    ]


def test_the_other_side_agrees_with_one_tap_or_says_no_and_the_organiser_sees_it(
    app: Flask,
) -> None:
    organiser = Organiser(app)
    organiser.begin(entries="Ann\nBob", boards="1", kind="round_robin", rounds="")
    organiser.act("pair", stage=0)
    address, bob, ann = _read_board_address(organiser), app.test_client(), app.test_client()

    def send(phone: FlaskClient, **form: str) -> str:
        fields = _list_forms(phone.get(address).text)[0]
        return phone.post(address, data=fields | form, follow_redirects=True).text

    claim = {"first": "6", "first_twenties": "3", "second_twenties": "1"}
    said = send(bob, by="second", **claim)
    assert _read_claims(said) == [(["Bob"], [6, 2, 3, 1])]
    assert '<button name="answer"' not in said
    asked = ann.get(address).text
    assert _read_claims(asked) == [(["Bob"], [6, 2, 3, 1])]
    yes, no, _ = _list_forms(asked)
    assert (yes["answer"], no["answer"]) == ("yes", "no")
    assert ann.post(address, data=no).status_code == 303
    assert organiser.state.matches[0].is_disputed
    page = organiser.client.get("/tournaments/1", headers=organiser.headers).text
    assert _read_claims(page) == [(["Bob", "Ann"], [6, 2, 3, 1])]
    send(bob, **{name: value for name, value in yes.items() if name != "csrf"})
    assert organiser.state.matches[0].result is None  # one phone counts as one side
    send(ann, by="first", first="4", first_twenties="2", second_twenties="2")
    page = organiser.client.get("/tournaments/1", headers=organiser.headers).text
    assert _read_claims(page) == [(["Bob"], [6, 2, 3, 1]), (["Ann"], [4, 4, 2, 2])]
    send(bob, by="second", first="4", first_twenties="2", second_twenties="2")
    assert organiser.state.matches[0].points_of(0) == 4
    organiser.act("undo")
    ways = [form for form in _list_forms(page) if form.get("first_twenties") == "3"]
    organiser.act("result", **{k: v for k, v in ways[0].items() if k not in ("events", "csrf")})
    assert organiser.state.matches[0].result is not None
    assert organiser.state.matches[0].result.points == (6, 2)


def test_a_claim_agreed_to_with_one_tap_counts(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin(entries="Ann\nBob", boards="1", kind="round_robin", rounds="")
    organiser.act("pair", stage=0)
    address, bob, ann = _read_board_address(organiser), app.test_client(), app.test_client()
    fields = _list_forms(bob.get(address).text)[0] | {"by": "second", "first": "6"}
    bob.post(address, data=fields)
    yes = _list_forms(ann.get(address).text)[0]
    assert ann.post(address, data=yes).status_code == 303
    assert organiser.state.matches[0].result is not None


def test_the_sheet_of_codes_warns_where_they_point_at_this_machine_only(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin()

    def sheet(host: str) -> str:
        at = {"base_url": f"http://{host}", "headers": organiser.headers}
        return organiser.client.get("/tournaments/1/print/codes", **at).text

    assert 'class="note problem"' in sheet("localhost:8000")
    assert 'class="note problem"' not in sheet("192.168.1.5:8000")


def _labels(page: str) -> list[str]:
    """The parts of a wall, in turn."""
    return re.findall(r'<section data-turn[^>]*aria-label="([^"]+)"', page)


def test_the_wall_shows_who_is_free_what_comes_the_bracket_and_the_podium(app: Flask) -> None:
    rng, organiser = random.Random(9), Organiser(app)
    organiser.begin(entries="\n".join(NAMES[:8]), boards="4", rounds="1")
    organiser.act("pair", stage=0)
    wall = lambda: organiser.client.get("/tournaments/1/wall").text  # noqa: E731
    assert _labels(wall()) == ["Boards", "Pairings", "Standings"]
    first = organiser.state.matches[0]
    organiser.act("result", match=0, first=8)
    assert _labels(wall()) == ["Boards", "Pairings", "Standings", "Free now"]
    free = wall().split('aria-label="Free now"')[1].split("</section>")[0]
    assert all(organiser.state.entries[k].name in free for k in first.entries)
    for number in (1, 2, 3):
        organiser.act("result", match=number, first=8)
    # Wins decide the rank, so the wall shows them next to the points.
    standings = wall().split('aria-label="Standings"')[1].split("</section>")[0]
    assert (
        re.findall(r"<span>(\d) · (\d)</span></li>", standings)
        == [("1", "8")] * 4 + [("0", "0")] * 4
    )
    organiser.act(
        "stage",
        name="Finals",
        low=1,
        high=8,
        kind="single_knockout",
        criteria="nca",
        third_place="yes",
        **{"from": 0},
    )
    assert _labels(wall()) == ["Next round", "Standings"]
    for _ in range(2):
        play_round(organiser, 1, rng)
    assert _labels(wall()) == ["Next round", "Pairings", "Bracket"]
    organiser.act("consolation", stage=1)
    assert organiser.state.stages[2].name == "Finals, consolation"
    assert len(organiser.state.stages[2].entries) == 4
    organiser.act("undo")
    organiser.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "de"
    organiser.act("consolation", stage=1)
    assert organiser.state.stages[2].name == "Finals, Trostrunde"
    organiser.act("undo")
    del organiser.client.environ_base["HTTP_ACCEPT_LANGUAGE"]
    play_round(organiser, 1, rng)
    assert _labels(wall()) == ["Podium", "Bracket"]
    page = organiser.client.get("/tournaments/1/result").text
    places = re.findall(r'<li class="place-(\d)"><b>\d</b> <span[^>]*>([^<]+)', page)
    assert [int(place) for place, _ in places] == [1, 2, 3]
    told = organiser.client.get("/tournaments/1/export.json").get_json()
    assert [place["name"] for place in told["podium"]] == [name for _, name in places]
    bracket = page.split('class="bracket size-4"')[1].split("</div>")[0]
    assert bracket.count("<ol>") == 3
    assert bracket.count("<li>") == 7
    assert "Third place" in page


def _words(page: str) -> str:
    """The text of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.split('id="main"')[1]).split())


def test_a_players_page_says_my_board_my_next_match_and_my_standing(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin(entries="\n".join(NAMES[:4]), boards="1", kind="round_robin")
    phone = app.test_client()
    page = lambda entry: phone.get(f"/tournaments/1/players/{entry}").text  # noqa: E731

    def now(entry: int) -> tuple[list[str], set[str]]:
        """The board that the player's page names, and the opponents: now, or next."""
        card = page(entry).split('<section class="card now">')[1].split("</section>")[0]
        heading = card.split("<h2>")[1].split("</h2>")[0]
        names = {name for name in NAMES[:4] if name in card}
        return re.findall(r"\d", heading), names - {NAMES[entry]}

    assert now(0)[1]
    organiser.act("pair", stage=0)
    playing, waiting = organiser.state.matches
    assert now(playing.first) == (["1"], {NAMES[playing.second]})
    assert now(waiting.first) == ([], {NAMES[waiting.second]})
    organiser.act("result", match=0, first=8, first_twenties=3)
    board, following = now(playing.first)
    assert (board, len(following)) == ([], 1)
    assert following != {NAMES[playing.second]}
    told = _words(page(playing.first)).replace("20s", "")
    standing = told.split(organiser.state.stages[0].name)[-1]
    assert [int(number) for number in re.findall(r"\d+", standing)][:4] == [1, 4, 8, 3]
    assert now(waiting.first) == (["1"], {NAMES[waiting.second]})
    assert phone.get("/tournaments/1/players/4").status_code == 404
    shown = organiser.client.get("/tournaments/1").text
    assert f'href="/tournaments/1/players/{playing.first}"' in shown
    organiser.act("rest", entry=playing.first)
    assert now(playing.first) == ([], set())
    organiser.act("leave", entry=playing.first)
    assert "Withdrawn" in page(playing.first)


def test_the_boards_page_shows_the_score_who_shoots_and_what_comes_next(app: Flask) -> None:
    organiser = Organiser(app)
    organiser.begin(entries="\n".join(NAMES[:4]), boards="1", kind="round_robin")
    organiser.act("pair", stage=0)
    address = _read_board_address(organiser)
    phone, waiting = app.test_client(), organiser.state.matches[1]
    before = _words(phone.get(address).text)
    names = [organiser.state.entries[k].name for k in waiting.entries]
    assert f"{names[0]} – {names[1]}" in before
    assert "shoots" not in before
    board = services_of(app).boards.get(1).scoreboard
    stored = services_of(app).tournaments.read(1)
    number = board.begin(make_match(stored, 0, 1, ()))
    board.append(number, RoundScored(points=(40, 20), twenties=(1, 0)))
    told = _words(phone.get(address).text)
    assert told.count("shoots") >= 1
    first = organiser.state.entries[organiser.state.matches[0].first].name
    assert re.search(rf"{first} (shoots )?2 ", told)


def test_a_season_has_a_table_a_page_for_each_player_and_an_export(app: Flask) -> None:
    rng = random.Random(4)
    assert 'class="ranking"' not in app.test_client().get("/tournaments/season").text
    organiser = Organiser(app)
    for _ in range(2):
        organiser.begin(entries="\n".join(NAMES[:4]), rounds="1")
    log = services_of(app).tournaments
    for number in (1, 2):
        log.append(number, lambda state: [pair_next_round(state, 0)], now="2026-01-01T20:00:00Z")
        for match in log.read(number).state.open_matches:
            result = ResultReported(match=match, points=(8, 0), twenties=(rng.randrange(5), 0))
            log.append(number, lambda _, r=result: [r], now="2026-01-01T21:00:00Z")
    table = organiser.client.get("/tournaments/season").text
    assert 'class="ranking"' in table
    assert table.count('href="/tournaments/season?player=') == 4
    one = organiser.client.get("/tournaments/season?t=2").text
    assert 'href="/tournaments/season?player=Player+1&amp;t=2"' in one
    page = organiser.client.get("/tournaments/season?player=player+1").text
    assert re.findall(r"\d+", page.split("<h1>Player 1</h1>")[1].split("<a")[0]) == ["2", "6"]
    assert page.count("Club night") == 2
    assert organiser.client.get("/tournaments/season?player=Nobody").status_code == 404
    lines = organiser.client.get("/tournaments/season.csv").text.splitlines()
    assert len(lines) == 1 + 8
    assert len(set(lines[0].split(","))) == len(lines[0].split(","))


def test_long_table_is_written_line_by_line() -> None:
    lines = format_csv((number, "a,b") for number in itertools.count())
    assert [next(lines), next(lines)] == ['0,"a,b"\r\n', '1,"a,b"\r\n']
