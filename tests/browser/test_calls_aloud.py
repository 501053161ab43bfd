"""Calls that a browser says aloud: once on a device, and never what is long past."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from scorer.match.events import MatchStarted, TwentyCounted
from scorer.rules.choices import Format
from webapp.server import RunningServer
from webapp.services import services_of

#: What is given to the browser to be spoken, and how a phone shakes, is written down as well.
_LISTEN = """
window.said = [];
const speak = speechSynthesis.speak.bind(speechSynthesis);
speechSynthesis.speak = (words) => { window.said.push(words.text); speak(words); };
window.shaken = [];
navigator.vibrate = (pattern) => { window.shaken.push(pattern); return true; };
"""
_SAID = "() => window.said"


def test_call_is_spoken_once_on_a_device_and_never_when_it_is_past(
    server: RunningServer, open_window: Callable[..., Page]
) -> None:
    parts = services_of(server.app)
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    number = parts.scoreboard.begin(setup)
    scorer = open_window(scorer=True)
    scorer.context.add_init_script(_LISTEN)
    scorer.goto("/")
    scorer.get_by_role("button", name="Screen").click()
    scorer.get_by_label("Voice").check()
    scorer.get_by_label("Sounds").check()
    other = scorer.context.new_page()
    other.goto(f"/match/{number}")
    expect(other.locator("#live")).to_have_attribute("data-newest", "yes")
    parts.scoreboard.append(number, TwentyCounted(side=0))
    expect(scorer.locator("#news")).to_have_text("20: Ann")
    expect(other.locator(".count strong").first).to_have_text("1")
    other.evaluate("import('/static/js/server_clock.js').then((clock) => clock.clockIsMeasured())")
    both = [*scorer.evaluate(_SAID), *other.evaluate(_SAID)]
    assert both.count("Twenty, Ann.") == 1
    assert len([*scorer.evaluate("window.shaken"), *other.evaluate("window.shaken")]) == 1
    # A page that comes later, and one that is sent what it missed, say nothing of it.
    state = parts.scoreboard.state
    past = state["call"] | {"id": "past", "at": "2026-01-01T00:00:00.000+00:00"}
    parts.broker.publish(None, state | {"call": past})
    scorer.reload()
    expect(scorer.locator(".facts").first).to_contain_text("1 × 20")
    assert scorer.evaluate(_SAID) == []
    assert scorer.evaluate("JSON.parse(localStorage['crokinole.sound']).voice") is True
