"""The pages of a wall: the round's pairings and every table, in parts that fit a screen."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from played_tournaments import Log, append_event, play_round, started, with_stage

from scorer.store.tournament_store import StoredTournament
from scorer.tournament.events import StageKind
from scorer.tournament.fold import fold
from scorer.tournament.pairing import pair_next_round
from webapp.pages.tournament.tournament_page import (
    WALL_LINES,
    WallPage,
    build_stages,
    build_wall_pages,
    find_running,
)

NOW = datetime(2026, 11, 1, 21, 0, tzinfo=UTC)


def stored(log: Log, *, hours_ago: float, number: int = 1) -> StoredTournament:
    then = (NOW - timedelta(hours=hours_ago)).isoformat()
    times = (then,) * len(log)
    return StoredTournament(id=number, created=then, log=log, recorded=times, state=fold(log))


def count_lines(page: WallPage) -> int:
    headings = sum(table.group is not None for table in page.tables)
    return 2 * len(page.pairings) + headings + sum(len(table.rows) for table in page.tables)


@pytest.mark.parametrize(
    ("kind", "entries", "more"),
    [
        (StageKind.SWISS, 70, {"rounds": 3}),
        (StageKind.SWISS, 5, {"rounds": 3}),
        (StageKind.ROUND_ROBIN, 40, {"groups": 8}),
        (StageKind.ROUND_ROBIN, 60, {"groups": 2}),
    ],
    ids=["many", "few", "groups of five", "groups of thirty"],
)
def test_every_pairing_and_every_rank_is_shown_once(
    kind: StageKind, entries: int, more: dict[str, int]
) -> None:
    log = play_round(
        with_stage(started(entries), kind, range(entries), **more), 0, random.Random(1)
    )
    stages = build_stages(fold(log))
    pages = build_wall_pages(stages)
    assert max(map(count_lines, pages)) <= WALL_LINES
    paired = [row.number for page in pages for row in page.pairings]
    matches = [match.number for match in stages[0].rounds_of_matches[0] if match.second]
    assert sorted(paired) == sorted(matches)
    ranked = [row.name for page in pages for table in page.tables for row in table.rows]
    assert sorted(ranked) == sorted(f"P{k + 1}" for k in range(entries))


def test_matches_that_wait_for_a_board_come_last() -> None:
    log = with_stage(started(12, boards=2), StageKind.SWISS, range(12), rounds=3)
    log = append_event(log, pair_next_round(fold(log), 0))
    (page, *_) = build_wall_pages(build_stages(fold(log)))
    assert [pairing.board for pairing in page.pairings] == [
        "Board 1",
        "Board 2",
        None,
        None,
        None,
        None,
    ]


def test_a_stage_that_is_not_paired_has_nothing_to_show() -> None:
    assert build_wall_pages(()) == ()
    log = with_stage(started(4), StageKind.SWISS, range(4), rounds=3)
    assert build_wall_pages(build_stages(fold(log))) == ()


def test_the_newest_tournament_that_is_on_is_shown_and_a_finished_one_for_a_while() -> None:
    log = with_stage(started(4), StageKind.SWISS, range(4), rounds=1)
    played = play_round(log, 0, random.Random(1))
    open_log = append_event(log, pair_next_round(fold(log), 0))
    now = NOW.isoformat()
    assert find_running([stored(log, hours_ago=0)], now) is None
    assert find_running([stored(played, hours_ago=4)], now) is None
    assert find_running([stored(played, hours_ago=2)], now) is not None
    on = [stored(open_log, hours_ago=30), stored(played, hours_ago=4, number=2)]
    assert getattr(find_running(on, now), "id", None) == 1
