"""No page shows an untranslated text, and no template contains one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from flask.testing import FlaskClient
from untranslated import find_untranslated, make_disguise

from calibration.disc import DiscSpec
from calibration.phrase import Phrase
from calibration.placed_disc import DiscState
from calibration.wizard.sentences import describe_size
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
from scorer.referee.events import SeenDisc
from scorer.rules.checks import Fault
from scorer.rules.choices import CalledFoul, Format, WrongPlace
from scorer.rules.fault_codes import FaultCode
from scorer.rules.sets import rule_set
from scorer.rules.sources import TITLES
from scorer.zones import CallCertainty
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.language import catalogue
from webapp.live.live_state import as_sentence
from webapp.live.ruling_messages import (
    call_faults,
    describe_fault,
    describe_penalty,
    describe_removal,
)
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
    """A scorer whose server has matches, a tournament and a practice."""
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
    (
        "/match/new",
        {"rules": "nca", "format": "two", "player0": "A", "player1": "B", "option_best_of": "2"},
    ),
)


@pytest.mark.parametrize(("address", "form"), REFUSALS)
def test_refusal_is_translated(client: FlaskClient, address: str, form: dict[str, str]) -> None:
    page = client.post(address, data={"back": "/match/1", **form}, follow_redirects=True)
    assert 'class="note problem"' in page.text
    assert find_untranslated(page.text) == []


def test_texts_of_scripts_are_all_in_the_catalogue() -> None:
    known = {
        text
        for message in catalogue.read_catalogue("de")
        for text in (message.id if isinstance(message.id, tuple) else (message.id,))
    }
    scripts = {
        path.name: re.findall(r'\b_\("((?:[^"\\]|\\.)*)"', path.read_text(encoding="utf-8"))
        for path in sorted(SCRIPTS.glob("*.js"))
    }
    assert sum(map(len, scripts.values())) > 100
    missing = [(name, text) for name, texts in scripts.items() for text in set(texts) - known]
    assert missing == []


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda one: one.name)
def test_template_holds_no_text_of_its_own(path: Path) -> None:
    # Not a text: a page's class, and a tag whose name comes from a choice.
    source = re.sub(
        r"\{% block body_class %\}.*?\{% endblock %\}|(?<=<)\{\{.*?\}\}",
        "x",
        path.read_text(encoding="utf-8"),
    )
    plain = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", "", source, flags=re.S)
    assert find_untranslated(plain) == []


PLACE = {"state": DiscState.FLAT, "zone": 5, "margin_mm": 9.0, "sigma_mm": 0.4}
RED, WOOD, OTHER_WOOD = (
    SeenDisc(id=f"d{k}", team=team, x_mm=x, y_mm=y, call=CallCertainty.CERTAIN, **PLACE)
    for k, (team, x, y) in enumerate(((0, 0, 240), (1, 240, 0), (1, 0, -240)))
)
PHRASES = (
    describe_size(DiscSpec()),
    describe_penalty(CalledFoul.NO_CONTACT, rule_set("nca").options),
    call_faults([Fault(code=FaultCode.PLACEMENT, rule="", evidence={})]),
    describe_fault(
        Fault(
            code=FaultCode.PLACEMENT,
            rule="",
            evidence={"why": WrongPlace.CLEAR_INSIDE, "by_mm": 3.21},
        )
    ),
    describe_removal([RED, WOOD], [RED, WOOD, OTHER_WOOD], {0: "red", 1: "natural"}),
    as_sentence(Phrase("no frames are arriving")),
)


@pytest.mark.parametrize("phrase", PHRASES, ids=str)
def test_phrase_of_the_program_is_translated(disguised: Catalog, phrase: Phrase) -> None:
    said = catalogue.make_words(disguised).word(phrase)
    assert not re.search("[a-zA-Z]{2,}", re.sub("⟦[^⟧]*⟧", "", said))
