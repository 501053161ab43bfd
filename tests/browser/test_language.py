"""Pages in the reader's language: chosen in the menu, spoken in it, the same in templates and
scripts.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from screen_sizes import PHONE
from untranslated import find_untranslated, make_disguise
from wait_until import wait_until
from watch_events import BLACK, blind_event, board_event, disc, shot_event

from calibration.phrase import Phrase
from calibration.placed_disc import Team
from scorer.match.events import FoulCalled, MatchStarted, RoundScored
from scorer.rules.checks import Fault, FaultCode
from scorer.rules.choices import CalledFoul, Format
from scorer.rules.judge_shot import Verdict
from webapp.language import catalogue
from webapp.language.catalogue import load_words
from webapp.server import RunningServer
from webapp.services import services_of


def test_language_is_chosen_in_the_menu_and_calls_are_spoken_in_it(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    board = services_of(server.app).scoreboard
    number = board.begin(MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob")))
    page = open_window()
    page.add_init_script(
        "window.heard = []; speechSynthesis.speak = (said) => heard.push([said.lang, said.text]);"
        'localStorage.setItem("crokinole.sound", JSON.stringify({ voice: true }));'
    )
    page.goto("/help")
    page.get_by_role("button", name="Français").click()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    expect(page.get_by_role("heading", level=1)).to_have_text("Aide")
    page.goto("/")
    expect(page.locator("#next")).to_have_text("Ann commence. Bob a le marteau.")
    page.locator("#goal").click()
    board.append(number, FoulCalled(player=0, foul=CalledFoul.ONE_CHEEK))
    expect(page.locator("#verdict")).to_contain_text("Ann a quitté sa chaise.")
    wait_until(page, "heard.length > 0")
    assert page.evaluate("heard[0]") == ["fr", "Faute\u00a0: Ann a quitté sa chaise."]
    board.append(number, RoundScored(points=(45, 20), twenties=(1, 0)))
    expect(page.locator("#moment")).to_contain_text("Ann gagne la manche")


def test_what_was_typed_survives_another_language_and_a_reload(scorer: Page) -> None:
    scorer.goto("/tournaments/new")
    scorer.locator("#entries").fill("Ann\nBob & Cid")
    scorer.locator("#kind").select_option("single_knockout")
    scorer.get_by_label("Match for third place").check()
    for again in (lambda: scorer.get_by_role("button", name="Deutsch").click(), scorer.reload):
        again()
        expect(scorer.locator("html")).to_have_attribute("lang", "de")
        expect(scorer.locator("#entries")).to_have_value("Ann\nBob & Cid")
        expect(scorer.locator("#kind")).to_have_value("single_knockout")
        expect(scorer.locator("[name=third_place]")).to_be_checked()
    scorer.goto("/tournaments")
    scorer.goto("/tournaments/new")
    expect(scorer.locator("#entries")).to_have_value("")


@pytest.mark.parametrize("language", ["de", "fr"])
def test_buttons_and_boxes_hold_their_words_in_long_languages_too(
    server: RunningServer,
    open_window: Callable[..., Page],
    show: Callable[[Page, str], None],
    language: str,
) -> None:
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    number = services_of(server.app).scoreboard.begin(setup)
    page = open_window(scorer=True, locale=language)
    page.goto(f"/match/{number}")
    show(page, f"match-{language}")
    page.set_viewport_size(PHONE["viewport"])
    fouls = page.locator("#foul")
    longest = fouls.evaluate(
        "box => [...box.options].sort((a, b) => b.text.length - a.text.length)[0].text"
    )
    page.evaluate(
        "document.querySelectorAll('details').forEach((element) => (element.open = true))"
    )
    fouls.select_option(label=longest)
    expect(page.locator("#foul + .whole-choice")).to_have_text(longest)
    fouls.evaluate("box => (box.style.width = '60rem')")
    expect(page.locator("#foul + .whole-choice")).to_have_count(0)


#: a shot's own text, and an example of how a name is pronounced
OWN_TEXTS = {"It touched one.", "Siobhan = Shivawn"}


def test_scripts_show_no_untranslated_text(
    server: RunningServer, open_window: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    disguise = make_disguise()
    monkeypatch.setattr(catalogue, "read_catalogue", lambda _language: disguise)
    load_words.cache_clear()
    parts = services_of(server.app)
    number = parts.scoreboard.begin(
        MatchStarted(
            rules="nca", format=Format.TWO, players=("Ann", "Bob"), colours=("natural", "black")
        )
    )
    teams = (Team(number=0, colour_rgb=(217, 167, 102), colour_name="natural"), BLACK)
    seen = disc("d1", BLACK, (132.0, 132.0))
    fault = Fault(
        code=FaultCode.NO_CONTACT,
        rule=Phrase("Part 6: a 20 must lie flat and completely in the hole."),
        evidence={},
    )
    recorder = parts.recorder
    recorder.on_start("clip")
    recorder.on_event(board_event(seen, teams=teams))
    recorder.on_event(shot_event(1, BLACK, seen, verdict=Verdict.FOUL, faults=[fault], teams=teams))
    reason, advice = "the picture changed to another view", "Take it off the board."
    recorder.on_event(blind_event(Phrase(reason), Phrase(advice)))
    page = open_window(scorer=True, locale="fr")
    found = {}
    for address, drawn in (
        ("/", "#sides[data-shape]"),
        (f"/match/{number}", "#referee-says:not([hidden])"),
        ("/referee", "#state:not(:empty)"),
        ("/camera", "#screen:not(:empty)"),
        ("/overlay?parts=score,verdict,clock,board", "#score .line"),
    ):
        page.goto(address)
        expect(page.locator(drawn).first).to_be_attached()
        texts = find_untranslated(page.content())
        found[address] = [text for text in texts if text not in OWN_TEXTS]
    load_words.cache_clear()
    assert {address: texts for address, texts in found.items() if texts} == {}
