"""Limits for entries of a match: texts that can be shown, sensible amounts, no value of a wrong
type.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from match_database import NOW, ROUND, SETUP
from read_log import match_from_csv, match_from_json

from scorer.match.events import Disputed, MatchError, RoundScored, event_from_json, event_json
from scorer.match.exchange import match_as_json
from scorer.store import Store
from scorer.texts import bound_sentence, describe_text_fault, quote

#: Texts that cannot be shown, by their fault.
UNSHOWN = {
    "half a surrogate pair": "A\ud800",
    "a stray byte": b"A\xff".decode(errors="surrogateescape"),
    "nothing": "A\0",
    "an escape sequence": "A\x1b[2J",
    "a line's end": "A\nB",
    "a line separator": "A\u2028B",
    "an override of direction": "A\u202eB",
    "41 letters": "x" * 41,
}


def exported(**changes: Any) -> str:
    setup = event_json(SETUP) | changes
    return json.dumps({"format": "crokinole-match", "version": 1, "events": [setup]})


@pytest.mark.parametrize("name", UNSHOWN.values(), ids=UNSHOWN.keys())
def test_a_name_that_cannot_be_shown_is_refused_by_every_way(name: str, tmp_path: Path) -> None:
    with pytest.raises(MatchError) as refusal:
        match_from_json(exported(players=[name, "Bob"]))
    assert str(refusal.value).encode()
    with pytest.raises(MatchError):
        match_from_json(exported(colours=[name, "black"]))
    setup = event_from_json(event_json(SETUP))
    bad = type(setup)(rules="nca", format=setup.format, players=(name, "Bob"))
    with Store(str(tmp_path / "m.db")) as store:
        with pytest.raises(MatchError):
            store.create(bad, now=NOW)
        with pytest.raises(MatchError):
            store.import_log([bad], now=NOW)
        match = store.create(SETUP, now=NOW)
        if len(name) < 41:
            with pytest.raises(MatchError):
                store.append(match, Disputed(about=name), now=NOW)
        assert store.log(match) == (SETUP,)


@pytest.mark.parametrize("name", ["Zoë", "李小龍", "علي", "👩‍👩‍👧", "Ann O’Neil", "x" * 40])
def test_a_name_of_any_script_is_taken(name: str) -> None:
    assert describe_text_fault(name, 40) is None
    assert match_from_json(exported(players=[name, "Bob"]))


@pytest.mark.parametrize(
    "event",
    [
        {"type": "round_scored", "points": "60"},
        {"type": "round_scored", "points": {"0": 5}},
        {"type": "round_scored", "source": ["hand"]},
        {"type": "round_corrected", "round": 1, "points": None, "twenties": None},
        {"type": "shootout_played", "twenties": None},
        {"type": "shot_played", "player": 0, "verdict": "legal", "board": [], "twenties": None},
        {"type": "shot_played", "player": 0, "verdict": 3, "board": [], "twenties": [0, 0]},
        {"type": "shot_played", "player": 0, "verdict": "legal", "board": [7], "twenties": [0, 0]},
        {"type": "disc_corrected", "disc": ["a"], "zone": 5},
        {"type": "disc_corrected", "disc": "a", "zone": "5"},
        {"type": "ruled", "dispute": 1, "decision": 5},
        {"type": "disputed", "about": None},
        {"type": "disputed"},
        {"type": ["disputed"]},
        {"type": "disputed", "about": "x", "x" * 100_000: 1},
        {"type": "disputed", "about": "x" * 501},
        {"type": "twenty_counted", "side": 10**30},
        {"type": "twenty_counted", "side": None},
        {"type": "foul_called", "player": 0, "foul": {"x": 1}},
        {"type": "match_started", "rules": ["nca"], "format": "two", "players": ["A", "B"]},
        {"type": "match_started", "rules": "nca", "format": "two", "players": "AB"},
        {"type": "match_started", "rules": "nca", "format": "two", "players": ["A", "B"],
         "options": {"game_points": {"a": []}}},
        [],
        None,
        "x" * 100_000,
    ],
    ids=lambda case: str(case)[:60],
)  # fmt: skip
def test_an_event_of_wrong_types_is_refused_in_a_short_sentence(event: Any) -> None:
    events = [event_json(SETUP), event]
    text = json.dumps({"format": "crokinole-match", "version": 1, "events": events})
    with pytest.raises(MatchError) as refusal:
        match_from_json(text)
    assert len(str(refusal.value)) < 400
    assert str(refusal.value).endswith(".")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@settings(max_examples=300)
@given(data=st.data())
def test_an_export_with_anything_changed_is_taken_or_refused(data: st.DataObject) -> None:
    content = json.loads(match_as_json((SETUP, ROUND, Disputed(about="a line"))))
    target = data.draw(st.sampled_from(content["events"]))
    target[data.draw(st.sampled_from(sorted(target)))] = data.draw(JSON)
    log, refusal = None, ""
    try:
        log = match_from_json(json.dumps(content))
    except MatchError as error:
        refusal = str(error)
    assert len(refusal) < 600
    assert log is None or match_from_json(match_as_json(log)) == log


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, "1" * 5000, "\0", '"\ud800"'])
def test_text_that_no_reader_can_hold_is_refused(text: str) -> None:
    with pytest.raises(MatchError):
        match_from_json(text)
    columns = "rules,options,format,players,starter,games,colours,round,side,points,twenties,value"
    row = f'nca,"{text}",two,"[]",0,1,[],,,,,'.replace('""', '"')
    for wrong in (text, f"{columns}\n{row}\n", f"{columns}\n{'x' * 200_000}\n"):
        with pytest.raises(MatchError):
            match_from_csv(wrong)


def test_a_log_longer_than_any_match_is_refused() -> None:
    with pytest.raises(MatchError, match="at most"):
        match_from_json(match_as_json([SETUP, *[RoundScored(points=(5, 0))] * 10_001]))


def test_sentences_quote_little_and_can_be_shown() -> None:
    assert len(quote("x" * 100_000)) <= 60
    assert quote("\ud800").encode()
    assert len(bound_sentence("x" * 100_000)) < 700
    assert bound_sentence("\udcff.").encode() == b"\\udcff."
    assert bound_sentence("Zoë.") == "Zoë."
