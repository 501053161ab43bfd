"""No page shows a text that is not translated, and no template holds one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from flask.testing import FlaskClient
from untranslated import find_untranslated, make_disguise

from scorer.match.events import (
    DiscCorrected,
    DiscInZone,
    Disputed,
    Event,
    FoulCalled,
    MatchStarted,
    RoundCorrected,
    RoundScored,
    RoundStarted,
    Ruled,
    ShotPlayed,
    TwentyCounted,
    Undone,
)
from scorer.rules.choices import CalledFoul, Format
from scorer.rules.sources import TITLES
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.language import catalogue
from webapp.language.sentences import SentenceTranslator
from webapp.services import services_of

TEMPLATES = Path(catalogue.FOLDER).parent / "pages"
SCRIPTS = TEMPLATES.parent / "static" / "js"


@pytest.fixture(scope="module")
def disguised() -> Catalog:
    return make_disguise()


MATCH: tuple[Event, ...] = (
    MatchStarted(
        rules="nca",
        format=Format.TWO,
        players=("Ann", "Bob"),
        colours=("natural", "black"),
        options=(("time_out", "equal-turns"),),
    ),
    RoundScored(points=(45, 20), twenties=(1, 0)),
    RoundCorrected(round=1, points=(40, 20), twenties=(1, 0)),
    RoundStarted(minutes=20),
    TwentyCounted(side=0, change=1),
    Undone(),
    ShotPlayed(
        player=1, verdict="legal", board=(DiscInZone(id="d1", side=1, zone=10),), twenties=(0, 0)
    ),
    FoulCalled(player=0, foul=CalledFoul.ONE_CHEEK),
    Disputed(about="d1?", disc="d1"),
    DiscCorrected(disc="d1", zone=15),
    Ruled(dispute=1, decision="10", disc="d1", zone=10),
    Disputed(about="d1?", disc="d1"),
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, disguised: Catalog) -> Iterator[FlaskClient]:
    """A scorer whose server holds matches, a tournament and a practice."""
    folder = tmp_path_factory.mktemp("left_out")
    config = Config(
        database=str(folder / "m.db"), profiles=folder / "profiles", is_rate_limit_off=True
    )
    app = create_app(config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "read_catalogue", lambda _language: disguised)
        catalogue.load_words.cache_clear()
        parts = services_of(app)
        number = parts.scoreboard.begin(MATCH[0])
        for event in MATCH[1:]:
            parts.scoreboard.append(number, event)
        client = app.test_client()
        client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {parts.secret.token}"
        form = {"name": "Evening", "entries": "P1\nP2\nP3\nP4", "boards": "2", "plan": "club"}
        form |= {"rules": "nca", "kind": "swiss", "rounds": "2", "criteria": "nca"}
        assert client.post("/tournaments/new", data=form).status_code == 303
        seen = str(parts.tournaments.read(1).events)
        client.post("/tournaments/1/pair", data={"events": seen, "stage": "0"})
        client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "fr"
        yield client
    catalogue.load_words.cache_clear()
    close_app(app)


PAGES = (
    "/",
    "/match/1",
    "/match/new",
    *(f"/match/new?rules={name}" for name in TITLES),
    "/matches",
    "/matches?q=nobody",
    "/players",
    "/player?name=Ann",
    "/practice",
    "/boards",
    "/boards/print",
    "/tournaments",
    "/tournaments/new",
    "/tournaments/1",
    "/tournaments/1/wall",
    "/tournaments/ratings",
    *(f"/tournaments/1/print/{what}" for what in ("pairings", "standings", "cards", "codes")),
    "/score",
    "/referee",
    "/camera",
    "/calibrate",
    "/overlay",
    "/overlay/choose",
    "/help",
    "/join",
    "/no-such-page",
)


@pytest.mark.parametrize("address", PAGES)
def test_page_shows_no_untranslated_text(client: FlaskClient, address: str) -> None:
    page = client.get(address)
    assert page.status_code in (200, 404)
    assert '<html lang="fr"' in page.text
    assert find_untranslated(page.text) == []


REFUSALS = (
    ("/match/1/score", {"count0_20": "30", "form": "score-2"}),
    ("/match/1/score", {"count0_20": "x", "form": "score-2"}),
    ("/match/1/dispute", {"about": "", "form": "dispute"}),
    ("/tournaments/1/pair", {"stage": "0", "back": "/tournaments/1"}),
    ("/match/new", {"rules": "nca", "format": "two", "player0": "Ann", "player1": "Ann"}),
)


@pytest.mark.parametrize(("address", "form"), REFUSALS)
def test_refusal_is_translated(client: FlaskClient, address: str, form: dict[str, str]) -> None:
    page = client.post(address, data={"back": "/match/1", **form}, follow_redirects=True)
    assert 'class="note problem"' in page.text
    assert find_untranslated(page.text) == []


def test_texts_of_scripts_are_all_in_the_catalogue() -> None:
    known = {
        text
        for each in catalogue.read_catalogue("de")
        for text in (each.id if isinstance(each.id, tuple) else (each.id,))
    }
    scripts = {
        path.name: re.findall(r'\b_\("((?:[^"\\]|\\.)*)"', path.read_text(encoding="utf-8"))
        for path in sorted(SCRIPTS.glob("*.js"))
    }
    assert sum(map(len, scripts.values())) > 100
    missing = [(name, text) for name, texts in scripts.items() for text in set(texts) - known]
    assert missing == []


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda each: each.name)
def test_template_holds_no_text_of_its_own(path: Path) -> None:
    # Not a text: a page's class, and a tag that has its name from a choice.
    source = re.sub(
        r"\{% block body_class %\}.*?\{% endblock %\}|(?<=<)\{\{.*?\}\}",
        "x",
        path.read_text(encoding="utf-8"),
    )
    plain = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", "", source, flags=re.S)
    assert find_untranslated(plain) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Ann wins the round",
        "Ann & Bob win the match",
        "Twenty, Ann.",
        "Close call 8 cm from the centre at 3 o'clock: 15 or 10.",
        "Discs (orange, black): 30.8 ± 0.4 mm across, 9.6 ± 0.3 mm high.",
        "Board: line radii 102.8, 203.2 and 299.9 mm, line width 1.7 mm, measured in 1 photo to "
        "within 0.1 mm.",
        "Foul: no contact, wrong placement. Remove 2 red and 1 black.",
        "Remove red at 3 o'clock and red at 12 o'clock and 1 black.",
        "Remove red 4 cm out at 3 o'clock and red 9 cm out at 3 o'clock and 2 black.",
        "Ann did not touch an opponent's disc, by 3.2 mm.",
        "Ann left the chair.",
        "Ann starts. Bob has the hammer.",
        "Not refereeing. The picture is too dark or too bright to see the board.",
        "Shot 3: Is this right: d1 hit d2? If so, the shot is legal. If not, it is a foul.",
        "1.2 mm clear of the 15 line",
        "10 or 15: too close to call",
        "Round scored: Ann 45, Bob 20 (counted by hand)",
    ],
)
def test_sentence_of_the_program_is_translated(disguised: Catalog, sentence: str) -> None:
    shapes = {
        str(each.id): str(each.string)
        for each in disguised
        if any(place[0].endswith(".py") for place in each.locations) and isinstance(each.id, str)
    }
    said = SentenceTranslator(shapes).translate(sentence)
    names_and_numbers = re.sub("⟦[^⟧]*⟧", "", said)
    assert not re.search(r"(?!Ann|Bob)[a-zA-Z]{2,}", re.sub(r"Ann|Bob|d\d", "", names_and_numbers))
