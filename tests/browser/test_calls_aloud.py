"""Calls that a browser speaks: once per device, and never for old events."""

from __future__ import annotations

import wave
from collections.abc import Callable
from pathlib import Path

from axe_faults import find_faults
from playwright.sync_api import Page, expect
from screen_sizes import PHONE
from wait_until import wait_until

from calibration.json_text import to_plain
from scorer.match.events import MatchStarted, RoundScored, TwentyCounted
from scorer.rules.choices import Format
from webapp.server import RunningServer
from webapp.services import services_of

#: Spoken texts and vibrations of a phone are also recorded.
_LISTEN = """
window.said = [];
window.volumes = [];
const speak = speechSynthesis.speak.bind(speechSynthesis);
speechSynthesis.speak = (words) => {
  window.said.push(words.text);
  window.volumes.push(words.volume);
  speak(words);
};
window.shaken = [];
navigator.vibrate = (pattern) => { window.shaken.push(pattern); return true; };
"""
_SAID = "() => window.said"
#: A lock decides which window speaks: a window that asks after another has asked gets the answer.
_KNOWS_WHO_CALLS = "navigator.locks.query().then(() => null)"


def said_by(*pages: Page) -> list[str]:
    """Calls spoken by the windows of one device, once the speaking window is decided."""
    for page in pages:
        page.evaluate(_KNOWS_WHO_CALLS)
    return [words for page in pages for words in page.evaluate(_SAID)]


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
    scorer.get_by_role("checkbox", name="Voice").check()
    scorer.get_by_role("checkbox", name="Sounds").check()
    other = scorer.context.new_page()
    other.goto(f"/match/{number}")
    other.locator("h1").click()  # a page speaks only after it has been touched
    parts.scoreboard.append(number, TwentyCounted(side=0))
    expect(scorer.locator("#news")).to_have_text("20: Ann")
    expect(other.locator(".count strong").first).to_have_text("1")
    other.evaluate("import('/static/js/server_clock.js').then((clock) => clock.clockIsMeasured())")
    assert said_by(scorer, other).count("Twenty, Ann.") == 1
    assert len([*scorer.evaluate("window.shaken"), *other.evaluate("window.shaken")]) == 1
    for page in (scorer, other):  # neither window sees in time that the other has stored
        page.evaluate("Storage.prototype.getItem = () => null")
    parts.scoreboard.append(number, TwentyCounted(side=1))
    expect(scorer.locator("#news")).to_have_text("20: Bob")
    expect(other.locator(".count strong").nth(1)).to_have_text("1")
    assert said_by(scorer, other).count("Twenty, Bob.") == 1
    # Pages that open later, or are sent missed events, do not speak them.
    state = to_plain(parts.scoreboard.state)
    past = state["call"] | {"id": "past", "at": "2026-01-01T00:00:00.000+00:00"}
    parts.boards.first().broker.publish(None, state | {"call": past})
    scorer.reload()
    expect(scorer.locator(".facts").first).to_contain_text("20s: 1")
    assert scorer.evaluate(_SAID) == []
    assert scorer.evaluate("JSON.parse(localStorage['crokinole.sound']).voice") is True


def write_beep(path: Path) -> Path:
    """A tone of a tenth of a second, as WAV."""
    with wave.open(str(path), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(b"\x00\x40\x00\xc0" * 400))
    return path


def test_a_device_keeps_its_caller_s_volume_pronunciations_and_own_sounds(
    server: RunningServer,
    open_window: Callable[..., Page],
    show: Callable[[Page, str], None],
    tmp_path: Path,
) -> None:
    parts = services_of(server.app)
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Siobhan", "Bob"))
    number = parts.scoreboard.begin(setup)
    page = open_window(scorer=True, device=PHONE)
    page.context.add_init_script(_LISTEN)
    page.goto("/")
    page.get_by_role("button", name="Screen").click()
    page.get_by_role("checkbox", name="Voice").check()
    page.get_by_text("Voice, volume and sounds").click()
    page.get_by_label("Volume").fill("0.3")
    page.get_by_label("How names are pronounced").fill("Siobhan = Shivawn")
    page.get_by_label("Your own sound: 20").set_input_files(write_beep(tmp_path / "beep.wav"))
    wait_until(page, "localStorage['crokinole.own-sound.twenty']")
    (tmp_path / "text.wav").write_text("no sound")
    foul = page.get_by_label("Your own sound: Foul")
    foul.set_input_files(tmp_path / "text.wav")
    foul.evaluate("(input) => { window.foul = input; }")
    wait_until(page, "!window.foul.checkValidity()")
    page.get_by_role("button", name="Test").click()
    wait_until(page, "window.said.at(-1) === 'Twenty, Shivawn.'")
    assert find_faults(page) == []
    show(page, "caller")
    parts.scoreboard.append(number, RoundScored(points=(45, 30), twenties=(0, 0)))
    spoken = "Shivawn 45, Bob 30. Shivawn needs 85. Hammer: Shivawn."
    wait_until(page, f"window.said.at(-1) === {spoken!r}")
    assert page.evaluate("window.volumes.at(-1)") < 0.31
    page.reload()
    page.get_by_role("button", name="Tap for sound").click()
    page.get_by_text("Voice, volume and sounds").click()
    expect(page.get_by_label("Volume")).to_have_value("0.3")
    expect(page.get_by_label("How names are pronounced")).to_have_value("Siobhan = Shivawn")
