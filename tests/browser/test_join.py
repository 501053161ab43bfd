"""Write access, as seen from a browser."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from webapp.server import RunningServer


def test_link_with_token_lets_the_scorer_in_and_forgets_the_token(
    server: RunningServer, spectator: Page, show: Callable[[Page, str], None]
) -> None:
    asked: list[str] = []
    spectator.on("request", lambda request: asked.append(request.url))
    spectator.goto("/join")
    show(spectator, "join")
    spectator.goto(f"/join#{server.token}")
    spectator.wait_for_url(f"{server.address}/")
    spectator.goto("/join")
    expect(spectator.get_by_text("This browser is signed in as the scorer")).to_be_visible()
    sent = [url for url in asked if "#" not in url]
    assert not any(server.token in url for url in sent)


def test_wrong_token_is_refused_with_a_sentence(spectator: Page) -> None:
    spectator.goto("/join")
    spectator.get_by_label("The scorer's code").fill("guess")
    spectator.get_by_role("button", name="Join as the scorer").click()
    expect(spectator.get_by_role("alert")).to_contain_text("not the scorer's code")


def test_scorer_can_stop_scoring(scorer: Page) -> None:
    scorer.goto("/join")
    scorer.get_by_role("button", name="Stop scoring").click()
    scorer.wait_for_url("**/")
    scorer.goto("/join")
    expect(scorer.get_by_label("The scorer's code")).to_be_visible()
