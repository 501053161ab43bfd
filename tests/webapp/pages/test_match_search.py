"""Search texts for matches: days as people write them, and parts of names."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorer.match.events import MatchStarted, TeamsNamed, Undone
from scorer.rules.choices import Format
from scorer.store import Store
from webapp.pages.match.match_list import find_matches

NOVEMBER, MARCH, MAY = 1, 2, 3


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Ann and Jan played on 26 November 2026, Bob and Marcel on 4 March 2027, and
    Zoë and Łukasz Müller on 9 May 2027."""
    with Store(str(tmp_path / "m.db")) as opened:
        for players, now in (
            (("Ann", "Jan"), "2026-11-26T20:00:00.000+00:00"),
            (("Bob", "Marcel"), "2027-03-04T20:00:00.000+00:00"),
            (("Zoë", "Łukasz Müller"), "2027-05-09T20:00:00.000+00:00"),
        ):
            setup = MatchStarted(rules="nca", format=Format.TWO, players=players)
            opened.create(setup, now=now)
        yield opened


@pytest.fixture
def vancouver(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This computer's clock is in Vancouver."""
    monkeypatch.setenv("TZ", "America/Vancouver")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("vancouver")
def test_an_evening_s_match_is_found_by_the_day_of_its_players(tmp_path: Path) -> None:
    with Store(str(tmp_path / "m.db")) as store:
        setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Jan"))
        store.create(setup, now="2026-11-27T04:00:00.000+00:00")  # 8 in the evening there
        found = [find_matches(store, day, 1).total for day in ("26 Nov", "27 Nov", "ann 2026-11")]
    assert found == [1, 0, 1]


def test_a_doubles_match_is_found_by_its_teams(store: Store) -> None:
    four = MatchStarted(
        rules="nca",
        format=Format.TEAMS,
        players=("Ann", "Bob", "Cid", "Dee"),
        teams=("Zürich Flickers", ""),
    )
    match = store.create(four, now="2027-06-01T20:00:00.000+00:00")

    def find(words: str) -> list[int]:
        return [found.id for found in find_matches(store, words, 1).matches]

    assert find("zurich") == find("ann flick") == [match]
    store.append(match, TeamsNamed(teams=("", "Posts")), now="2027-06-01T20:01:00.000+00:00")
    assert (find("zurich"), find("posts dee 2027")) == ([], [match])
    store.append(match, Undone(), now="2027-06-01T20:02:00.000+00:00")
    store.rename_player("Ann", "Eve")
    assert (find("posts"), find("zurich eve")) == ([], [match])


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Nov", [NOVEMBER]),
        ("november 2026", [NOVEMBER]),
        ("november 2027", []),
        ("26.11.2026", [NOVEMBER]),
        ("26/11/2026", [NOVEMBER]),
        ("26.11.", [NOVEMBER]),
        ("26.11.2027", []),
        ("26 Nov", [NOVEMBER]),
        ("26. November 2026", [NOVEMBER]),
        ("Nov 26", [NOVEMBER]),
        ("November 26, 2026", [NOVEMBER]),
        ("4. März", [MARCH]),
        ("mars", [MARCH]),
        ("2026-11", [NOVEMBER]),
        ("ann 26 nov", [NOVEMBER]),
        ("bob 26 nov", []),
        ("arc", [MARCH]),
        ("Jan", [NOVEMBER]),  # here it is a player's name
        ("zoe", [MAY]),
        ("ZOE\u0308 mull", [MAY]),
        ("Zoë bob", []),
        ("", [MAY, MARCH, NOVEMBER]),
    ],
)
def test_a_match_is_found_by_what_people_type(store: Store, words: str, found: list[int]) -> None:
    matches = find_matches(store, words, 1).matches
    assert sorted(match.id for match in matches) == sorted(found)
