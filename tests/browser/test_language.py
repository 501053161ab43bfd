"""Pages in the reader's language: chosen in the menu, spoken in it, and the same in both halves."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from scorer.match.events import FoulCalled, MatchStarted, RoundScored
from scorer.rules.choices import CalledFoul, Format
from webapp.language.catalogue import load_words
from webapp.server import RunningServer
from webapp.services import services_of

#: Said by the server in English, and translated by a script where it is shown.
SENTENCES = (
    "Ann wins the round",
    "Twenty, Ann & Bob.",
    "Foul: no contact, wrong placement. Remove 2 red and 1 black.",
    "The blue did not touch an opponent's disc, by 3.2 mm.",
    "Shot 3: Did this happen: d1 struck d2? If so, the shot is legal, else a foul.",
    "Not refereeing. The picture is too dark or too bright to see the board.",
    "NCA rules, Part 6: the difference goes to the higher side.",
    "Ann starts; Bob has the hammer.",
    "rtsp://192.168.1.20/live",
    "A dispute in somebody's own words.",
    "Is it so that natural's disc met a post before it came to rest? Then it is a foul.",
)
_TRANSLATE = """async (sentences) => {
  const { translate } = await import("/static/js/words.js");
  return sentences.map(translate);
}"""


def test_scripts_translate_as_the_server_does(open_window: Callable[..., Page]) -> None:
    for language in ("de", "fr"):
        page = open_window(locale=language)
        page.goto("/help")
        words = load_words(language).sentences
        assert page.evaluate(_TRANSLATE, list(SENTENCES)) == [
            words.translate(each) for each in SENTENCES
        ]


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
    expect(page.locator("#next")).to_have_text("Ann commence\u00a0; Bob a le marteau.")
    page.locator("#goal").click()
    board.append(number, FoulCalled(player=0, foul=CalledFoul.ONE_CHEEK))
    expect(page.locator("#verdict")).to_contain_text("Ann a quitté sa chaise.")
    page.wait_for_function("heard.length > 0")
    assert page.evaluate("heard[0]") == ["fr", "Faute\u00a0: Ann a quitté sa chaise."]
    board.append(number, RoundScored(points=(45, 20), twenties=(1, 0)))
    expect(page.locator("#moment")).to_contain_text("Ann gagne la manche")
