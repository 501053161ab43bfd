"""Pages of a match that are kept for a lost connection: after leaving, a move, and an update."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from flask import Response, request
from kept_page import IS_KEPT, IS_SENT
from playwright.sync_api import Page, expect
from screen_sizes import PHONE
from wait_until import wait_until

from scorer.match.events import MatchStarted, TwentyCounted
from scorer.rules.choices import Format
from webapp.server import RunningServer
from webapp.services import services_of


@pytest.fixture(autouse=True)
def _parts_kept() -> None:
    """Every page requests its parts, as it does for users."""


@pytest.fixture
def match(server: RunningServer) -> int:
    """A new match."""
    setup = MatchStarted(rules="nca", format=Format.TWO, players=("Ann", "Bob"))
    return services_of(server.app).scoreboard.begin(setup)


@pytest.fixture
def page(match: int, open_window: Callable[..., Page]) -> Page:
    """The match's page on the scorer's phone, stored with all its parts."""
    page = open_window(scorer=True, is_kept=True, device=PHONE)
    page.goto(f"/match/{match}")
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    wait_until(page, IS_KEPT)
    return page


def add_twenty(page: Page) -> None:
    page.get_by_role("button", name="Add a 20 for Ann", exact=True).click()


def test_who_has_left_is_shown_no_kept_page_of_the_scorer(match: int, page: Page) -> None:
    page.goto("/join")
    page.get_by_role("button", name="Stop scoring in this browser").click()
    page.wait_for_url("**/")
    page.goto(f"/match/{match}")
    expect(page.get_by_role("button", name="Enter round 1")).to_have_count(0)
    page.goto("/join")
    page.context.set_offline(True)
    page.goto(f"/match/{match}")
    expect(page.get_by_text("Ann").first).to_be_visible()
    expect(page.get_by_role("button", name="Enter round 1")).to_have_count(0)


def test_who_has_left_finds_no_scorer_s_page_though_no_other_was_asked_for(
    server: RunningServer, match: int, page: Page
) -> None:
    page.goto("/join")
    page.get_by_role("button", name="Stop scoring in this browser").click()
    page.wait_for_url("**/")
    server.stop()  # a restarted worker may not know yet that its browser is offline
    wait_until(page, "fetch('/healthz').then(() => false, () => true)")
    with pytest.raises(Exception, match=r"ERR_CONNECTION_REFUSED|ERR_FAILED"):
        page.goto(f"/match/{match}")


def test_what_was_entered_offline_is_entered_after_the_match_has_moved(
    server: RunningServer, match: int, page: Page
) -> None:
    parts = services_of(server.app)
    parts.boards.add_board("")
    page.context.set_offline(True)
    add_twenty(page)
    page.reload()
    expect(page.get_by_text("1 entry waiting")).to_be_visible()
    parts.boards.move_match(match, 2)
    page.context.set_offline(False)
    expect(page.locator("#notices .waiting")).to_have_count(0)
    assert TwentyCounted(side=0) in parts.store.log(match)
    page.goto(f"/match/{match}")
    wait_until(page, "document.documentElement.dataset.board === '2'")
    page.context.set_offline(True)
    page.goto("/match")
    expect(page).to_have_url(f"{server.address}/match/{match}")
    assert page.evaluate("document.documentElement.dataset.board") == "2"


def test_a_page_that_a_worker_serves_asks_for_every_part_once(
    server: RunningServer, match: int, page: Page
) -> None:
    asked: Counter[str] = Counter()
    serve_part: Any = server.app.view_functions["static"]

    def count(filename: str) -> Response:
        asked[filename] += 1
        part: Response = serve_part(filename=filename)
        return part

    server.app.view_functions["static"] = count
    page.reload()
    wait_until(page, "performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
    wait_until(page, IS_KEPT)
    page.goto("/join")
    assert asked["js/match.js"] == 1
    assert sum(asked.values()) > 20
    page.goto(f"/match/{match}")
    page.context.set_offline(True)
    page.reload()
    add_twenty(page)
    expect(page.get_by_text("1 entry waiting")).to_be_visible()


def test_an_update_of_the_server_is_on_the_page_at_once_and_then_kept(
    server: RunningServer, match: int, page: Page
) -> None:
    views: dict[str, Any] = dict(server.app.view_functions)

    def update(endpoint: str, name: str) -> None:
        def serve(**found: Any) -> Any:
            for header in ("HTTP_IF_NONE_MATCH", "HTTP_IF_MODIFIED_SINCE"):
                request.environ.pop(header, None)
            answer: Response = views[endpoint](**found)
            if found.get("filename", name) == name:
                answer.direct_passthrough = False
                answer.set_data(answer.get_data(as_text=True) + added)
                answer.headers.pop("ETag", None)
            return answer

        added = "\n/* new */" if endpoint == "match.worker" else "\nwindow.isNew = true;"
        server.app.view_functions[endpoint] = serve

    add_twenty(page)
    wait_until(page, IS_SENT)
    page.context.set_offline(True)
    add_twenty(page)
    expect(page.get_by_text("1 entry waiting")).to_be_visible()
    update("match.worker", "js/match_worker.js")
    update("static", "js/match.js")
    page.context.set_offline(False)
    page.reload()
    wait_until(page, "window.isNew")
    expect(page.locator("#notices .waiting")).to_have_count(0)
    page.evaluate(
        "navigator.serviceWorker.ready.then((worker) => worker.update()).then(() => null)"
    )
    wait_until(page, IS_KEPT)
    server.stop()
    wait_until(page, "fetch('/healthz').then(() => false, () => true)")
    page.reload()
    wait_until(page, "window.isNew")
    add_twenty(page)
    expect(page.get_by_text("1 entry waiting")).to_be_visible()
    assert services_of(server.app).store.log(match)[1:] == (TwentyCounted(side=0),) * 2
