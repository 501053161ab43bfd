"""A club's evening through its pages: ``make evening``.

24 players on 10 boards play 6 rounds of Swiss and finals of 8 in a real browser before a real
server: results come from the organiser's page, from two phones at a board (QR code), and round by
round from a board's own scorer. One comes late, one leaves, one match is a walkover, one result is
put right two rounds later, and in the middle of a match the server is killed and started again. The
standings must be those that are computed here from what was entered, by nothing of the program's.
Exit code 1 for anything else.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.support.find_chromium import find_chromium

ROUNDS, BOARDS, FINALISTS = 6, 10, 8
#: A match's points are 2 for each of its 4 rounds; a bye and a walkover have three quarters.
MOST, FREE = 8, 6
PLAYERS = [f"Player {k:02}" for k in range(1, 25)]
LATE, LEAVER = "Late Larry", "Player 24"
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)
SCORED_BOARD, PHONED_BOARDS = "Board 1", ("Board 2", "Board 3")


class Server:
    """The program ``crokinole serve``, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = int(free.getsockname()[1])
        self.address = f"http://127.0.0.1:{port}"
        self._command = [sys.executable, "-m", "webapp", "serve", "--port", str(port)]
        self._command += ["--data", str(folder)]
        self.scorer_address, self._log = "", folder / "log.jsonl"
        self._process = self._start()

    def kill(self) -> float:
        """End it as a power cut would, and start it again; seconds until it answers."""
        begun_s = time.monotonic()
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process = self._start()
        return time.monotonic() - begun_s

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()

    def read(self) -> dict[str, Any]:
        """The tournament as it tells programs."""
        with urllib.request.urlopen(f"{self.address}/tournaments/1/export.json") as answer:
            content: dict[str, Any] = json.load(answer)
        return content

    def _start(self) -> subprocess.Popen[str]:
        with self._log.open("a") as log:
            process = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("For the scorer"):
                self.scorer_address = line.split()[-1]
                return process
        raise SystemExit("The server does not start.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What was entered of a match."""

    points: tuple[int, int]
    twenties: tuple[int, int] = (0, 0)
    is_played: bool = True


@dataclass(slots=True)
class Figures:
    """What is counted."""

    forms: int = 0
    results: dict[int, Result] = field(default_factory=dict)
    lost: int = 0
    down_s: float = 0.0


class Evening:
    """The organiser's browser, two phones, and a board's scorer."""

    def __init__(self, server: Server, browser: Browser, rng: random.Random) -> None:
        self.server, self.rng, self.figures = server, rng, Figures()
        pages = []
        for _ in range(4):
            context = browser.new_context(base_url=server.address)
            context.set_default_timeout(PATIENCE_MS)
            pages.append(context.new_page())
        self.organiser, self.first, self.second, self.board = pages
        self.codes: dict[str, str] = {}

    def begin(self) -> None:
        """Set the tournament up, and hand out the boards' codes."""
        page = self.organiser
        page.goto(self.server.scorer_address)
        page.wait_for_url(f"{self.server.address}/")
        page.goto("/tournaments/new")
        page.locator("#name").fill("Club evening")
        page.locator("#entries").fill("\n".join(PLAYERS))
        page.locator("#boards").fill(str(BOARDS))
        page.locator("[name=rounds]").fill(str(ROUNDS))
        page.locator("[name=criteria]").select_option("nca")
        self._send(page.locator("form.card button.main"), page)
        page.goto("/tournaments/1/print/codes")
        for caption in page.locator(".qr figcaption").all():
            name, address = caption.locator("strong"), caption.locator(".soft")
            self.codes[name.inner_text()] = address.inner_text()
        page.goto("/boards")
        page.locator("section.card").first.locator("summary").nth(1).click()
        self._join_board()
        page.goto("/tournaments/1")

    def play_round(self, *, kill: bool = False, walkover: bool = False) -> None:
        """Pair a round, and enter every result."""
        page = self.organiser
        page.goto("/tournaments/1")
        self._send(page.get_by_role("button", name="Pair the"), page)
        told = self.server.read()["matches"]
        for number, match in enumerate(told):
            if match["second"] is None and number not in self.figures.results:
                self.figures.results[number] = Result(points=(FREE, 0), is_played=False)
        entered = 0
        while (number := self._find_open()) is not None:
            match = self.server.read()["matches"][number]
            result = self._draw(match)
            if walkover and entered == 3:
                result = Result(points=(FREE, 0), is_played=False)
                self._give_walkover(number, match["first"])
            elif match["board"] == SCORED_BOARD and match["stage"] == 0:
                self._score_at_board(number, result, kill=kill)
            elif match["board"] in PHONED_BOARDS:
                self._report_by_phones(match["board"], result)
            else:
                self._enter(number, result)
            self.figures.results[number] = result
            entered += 1
            self._check_all()

    def correct(self, number: int) -> None:
        """Put right what was entered of a match that was played."""
        old = self.figures.results[number]
        fresh = Result(points=(old.points[1], old.points[0]), twenties=(9, 1))
        self._enter(number, fresh)
        self.figures.results[number] = fresh
        self._check_all()

    def enter_late(self, name: str) -> None:
        """Add somebody who came late to the Swiss."""
        page = self.organiser
        page.goto("/tournaments/1")
        page.locator("summary", has_text="Late entries").click()
        page.locator("#entry").fill(name)
        self._send(page.get_by_role("button", name="Add", exact=True), page)

    def take_out(self, name: str) -> None:
        """Let somebody leave."""
        page = self.organiser
        page.goto("/tournaments/1")
        page.locator("summary", has_text="Late entries").click()
        page.locator("select[name=entry]").select_option(label=name)
        self._send(page.get_by_role("button", name="Withdraw"), page)

    def begin_finals(self) -> None:
        """A knock-out of the best."""
        page = self.organiser
        page.goto("/tournaments/1")
        form = page.locator("form[action$='/stage']")
        if not form.is_visible():
            page.locator("summary", has_text="The next stage").click()
        form.locator("#stage-name").fill("Gold final")
        form.locator("#high").fill(str(FINALISTS))
        form.locator("[name=kind]").select_option("single_knockout")
        self._send(form.locator("button.main"), page)

    def read_standing(self) -> list[tuple[int, str, int, int]]:
        """Rank, name, points and 20s of the Swiss, as the page shows them."""
        self.organiser.goto("/tournaments/1")
        table = self.organiser.locator("table.standing").last
        rows = []
        for row in table.locator("tbody tr").all():
            cells = [text.strip() for text in row.locator("td").all_inner_texts()]
            name = cells[1].removesuffix(" (left)")
            rows.append((int(cells[0]), name, int(cells[5]), int(cells[6])))
        return rows

    def _join_board(self) -> None:
        """The board's scorer reads its code off the organiser's page."""
        code = self.organiser.evaluate("document.querySelectorAll('.qr svg').length")
        assert code >= BOARDS
        secret = json.loads(next(self.server_folder.glob("*.secret")).read_text())
        self.board.goto(f"/boards/1/join#{_board_code(secret, 1)}")
        self.board.wait_for_url(f"{self.server.address}/boards/1")

    @property
    def server_folder(self) -> Path:
        """Where the server keeps its files."""
        return Path(self.server._command[-1])

    def _find_open(self) -> int | None:
        """A match that has a board, and no result."""
        matches = self.server.read()["matches"]
        ready = [
            number
            for number, match in enumerate(matches)
            if match["points"] is None and (match["board"] is not None)
        ]
        return self.rng.choice(ready) if ready else None

    def _draw(self, match: dict[str, Any]) -> Result:
        """A result: the stronger wins more often; a knock-out has a winner."""
        strength = [PLAYERS.index(name) if name in PLAYERS else 12 for name in _names(match)]
        lean = 4 + (strength[1] - strength[0]) / 8
        first = min(MOST, max(0, round(self.rng.gauss(lean, 1.6))))
        if match["stage"] and first == MOST // 2:
            first += self.rng.choice((-1, 1))
        twenties = (self.rng.randrange(12), self.rng.randrange(12))
        if match["board"] == SCORED_BOARD:
            twenties = (4, 4)  # one a round
        return Result(points=(first, MOST - first), twenties=twenties)

    def _enter(self, number: int, result: Result) -> None:
        """The organiser's form."""
        page = self.organiser
        page.goto("/tournaments/1")
        form = page.locator(f"form.result:has(input[name=match][value='{number}'])")
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        self._fill(form, result)
        self._send(form.locator("button"), page)

    def _fill(self, form: Locator, result: Result) -> None:
        form.locator("[name=first]").select_option(str(result.points[0]))
        form.locator("[name=first_twenties]").fill(str(result.twenties[0]))
        form.locator("[name=second_twenties]").fill(str(result.twenties[1]))

    def _give_walkover(self, number: int, winner: str) -> None:
        page = self.organiser
        page.goto("/tournaments/1")
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        item = page.locator(f"li.pairing:has(input[name=match][value='{number}'])")
        self._send(item.get_by_role("button", name=f"Walkover for {winner}"), page)

    def _report_by_phones(self, board: str, result: Result) -> None:
        """Both sides say the same by the board's QR code."""
        for page, side in ((self.first, "first"), (self.second, "second")):
            page.goto(self.codes[board])
            page.locator(f"[name=by][value={side}]").check()
            self._fill(page.locator("form:has([name=by])"), result)
            self._send(page.get_by_role("button", name="Send result"), page)

    def _score_at_board(self, number: int, result: Result, *, kill: bool) -> None:
        """Four rounds at the board's own page; the result reaches the tournament by itself."""
        page = self.board
        page.goto("/boards/1")
        page.get_by_role("button", name="Keep score here").click()
        page.wait_for_url("**/match/*")
        self.figures.forms += 1
        wins = _split(result.points[0])
        for place, points in enumerate(wins):
            if kill and place == 2:
                self.figures.down_s = self.server.kill()
                page.reload()
            expect(page.locator("#save [data-round]")).to_have_text(str(place + 1))
            for side, discs in enumerate(((2, 1), (1, 1), (1, 2))[2 - points]):
                page.locator(f"[name=count{side}_20]").fill("1")
                page.locator(f"[name=count{side}_15]").fill(str(discs))
            page.locator("#save").click()
            self.figures.forms += 1
        expect(page.locator(".next strong").first).to_contain_text("won")
        until_s = time.monotonic() + PATIENCE_MS / 1000
        while self.server.read()["matches"][number]["points"] is None:
            if time.monotonic() > until_s:
                raise SystemExit(f"Match {number}, scored at its board, reports no result.")
            time.sleep(0.1)

    def _check_all(self) -> None:
        """Everything that was entered stands in the tournament."""
        matches = self.server.read()["matches"]
        for number, result in self.figures.results.items():
            told = matches[number]
            stands = told["points"] is not None and tuple(told["points"]) == result.points
            self.figures.lost += not stands or tuple(told["twenties"]) != result.twenties

    def _send(self, button: Locator, page: Page) -> None:
        self.figures.forms += 1
        with page.expect_navigation():
            button.click()
        expect(page.locator(".note.problem")).to_have_count(0)


def _board_code(secret: dict[str, str], number: int) -> str:
    """What the board's QR code holds."""
    from webapp.http.token import Secret

    made = Secret(None)
    made._token, made._key = secret["token"], secret["signing_key"]
    return made.board_code(number)


def _names(match: dict[str, Any]) -> tuple[str, str]:
    return match["first"], match["second"]


def _split(points: int) -> list[int]:
    """Match points of four rounds, 2, 1 or 0 each."""
    rounds = [2] * (points // 2) + [1] * (points % 2)
    return rounds + [0] * (4 - len(rounds))


def rank_independently(
    matches: list[dict[str, Any]], results: dict[int, Result], names: list[str]
) -> list[tuple[int, str, int, int]]:
    """Rank, name, points and 20s by points, 20s, opponents' points, and who beat whom."""
    points, twenties = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    opponents: dict[str, list[str]] = {name: [] for name in names}
    winners: dict[frozenset[str], str | None] = {}
    for number, match in enumerate(matches):
        if match["stage"]:
            continue
        result, (first, second) = results[number], _names(match)
        for name, own, made in zip((first, second), result.points, result.twenties, strict=True):
            if name is not None:
                points[name] += own
                twenties[name] += made
        if second is not None:
            a, b = result.points
            winners[frozenset((first, second))] = first if a > b else second if b > a else None
            if result.is_played:
                opponents[first].append(second)
                opponents[second].append(first)
    strength = {
        name: (points[name], twenties[name], sum(points[each] for each in opponents[name]))
        for name in names
    }

    def measure(name: str) -> tuple[int, int, int, int]:
        level = [each for each in names if strength[each] == strength[name] and each != name]
        group = [name, *level]
        met = all(frozenset((a, b)) in winners for k, a in enumerate(group) for b in group[k + 1 :])
        wins = 0
        for each in level if met else ():
            winner = winners[frozenset((name, each))]
            wins += 1 if winner is None else 2 * (winner == name)
        return (*strength[name], wins)

    measured = {name: measure(name) for name in names}
    ranks = {name: 1 + sum(other > measured[name] for other in measured.values()) for name in names}
    return sorted((ranks[name], name, points[name], twenties[name]) for name in names)


def play(server: Server, browser: Browser, seed: int) -> Evening:
    """The whole evening."""
    evening = Evening(server, browser, random.Random(seed))
    evening.begin()
    for number in range(1, ROUNDS + 1):
        evening.play_round(kill=number == 3, walkover=number == 2)
        if number == 1:
            evening.enter_late(LATE)
        if number == 3:
            evening.take_out(LEAVER)
        if number == 4:
            played = [k for k, result in evening.figures.results.items() if result.is_played]
            evening.correct(played[len(played) // 3])  # of the second round
        print(f"Round {number}: {len(evening.figures.results)} results", flush=True)
    evening.begin_finals()
    for _ in range(3):
        evening.play_round()
    return evening


def main() -> int:
    """Play it, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    seed = parser.parse_args().seed
    begun_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            evening = play(server, browser, seed)
            told, shown = server.read(), sorted(evening.read_standing())
        finally:
            browser.close()
            server.stop()
    figures = evening.figures
    computed = rank_independently(told["matches"], figures.results, [*PLAYERS, LATE])
    pairs = [frozenset(_names(each)) for each in told["matches"] if not each["stage"]]
    rematches = len(pairs) - len(set(pairs))
    final = told["matches"][-1]
    champion = final["first"] if final["points"][0] > final["points"][1] else final["second"]
    print(f"Players, boards        {len(PLAYERS)} and 1 late, {BOARDS}")
    print(f"Matches, forms sent    {len(told['matches'])}, {figures.forms}")
    print(f"Rematches in the Swiss {rematches}")
    print(f"Server killed, down    1 time, {figures.down_s:.1f} s")
    print(f"Results lost           {figures.lost}")
    print(f"Standings as computed  {'yes' if shown == computed else 'NO'}")
    print(f"Champion               {champion}")
    print(f"Took                   {time.monotonic() - begun_s:.0f} s")
    if shown != computed:
        for one, other in zip(shown, computed, strict=False):
            print("shown", one, "computed", other, "" if one == other else "<<<")
    return 0 if shown == computed and not figures.lost and not rematches else 1


if __name__ == "__main__":
    raise SystemExit(main())
