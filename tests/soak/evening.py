"""A club's evening through its pages: ``make evening``.

12 players on 4 boards play 4 rounds of Swiss and finals of 4 with a match for third place, in a
real browser before a real server: results come from the organiser's page, from two phones at a
board (QR code), and round by round from a board's own scorer. One player comes late, one leaves,
one sits out a round, a name is corrected, two players are swapped by hand, a match is a walkover,
one side refuses the other's report, one result is corrected two rounds later, and in the middle of
a match the server is killed and started again. The standings must equal those computed here from
the entries, without the program's code, and the podium must be on the wall. ``--large`` is an
evening of 24 players, 10 boards, 6 rounds and finals of 8. Exit code 1 for anything else.
"""

from __future__ import annotations

import argparse
import json
import random
import re
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

IS_LARGE = "--large" in sys.argv
ROUNDS, BOARDS, FINALISTS = (6, 10, 8) if IS_LARGE else (4, 4, 4)
#: A match has 2 points for each of its 4 rounds; a bye and a walkover give three quarters.
MOST, FREE = 8, 6
PLAYERS = [f"Player {k:02}" for k in range(1, 25 if IS_LARGE else 13)]
LATE, LEAVER, RESTING, RENAMED = "Late Larry", PLAYERS[-1], PLAYERS[3], "Player 02 & Friend"
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
        """Kill it as a power cut would, and restart it; returns the seconds until it answers."""
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
        """The tournament as the API returns it."""
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
    """An entered result of a match."""

    points: tuple[int, int]
    twenties: tuple[int, int] = (0, 0)
    is_played: bool = True


@dataclass(slots=True)
class Figures:
    """Counts of the evening."""

    forms: int = 0
    taps_to_pair: int = 0
    taps_to_agree: int = 0
    agreed: int = 0
    refused: int = 0
    swapped: int = 0
    byes: int = 0
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
        page.goto("/tournaments")
        taps = _Taps()
        taps.tap(page.get_by_role("link", name="New tournament"))
        taps.tap(page.locator("#entries"))
        chat = [f"{k}. {name}" for k, name in enumerate(PLAYERS, start=1)]
        page.evaluate("(text) => document.execCommand('insertText', false, text)", "\n".join(chat))
        page.locator("#boards").fill(str(BOARDS))
        page.locator("[name=rounds]").fill(str(ROUNDS))
        page.locator("[name=criteria]").select_option("nca")
        taps.tap(page.get_by_role("button", name="Start and pair the first round"))
        page.wait_for_url("**/tournaments/1")
        self.figures.taps_to_pair, self.figures.forms = taps.count, 1
        page.goto("/tournaments/1/print/codes")
        for caption in page.locator(".qr figcaption").all():
            name, address = caption.locator("strong"), caption.locator("span.soft")
            self.codes[name.inner_text()] = address.inner_text()
        page.goto("/boards")
        page.locator("section.card").first.locator("summary").nth(1).click()
        self._join_board()
        page.goto("/tournaments/1")

    def play_round(
        self,
        *,
        kill: bool = False,
        walkover: bool = False,
        swap: bool = False,
        is_paired: bool = False,
    ) -> None:
        """Pair a round, and enter all results."""
        page = self.organiser
        page.goto("/tournaments/1")
        if not is_paired:
            self._send(page.get_by_role("button", name="Pair the"), page)
        if swap:
            self._swap()
        told = self.server.read()["matches"]
        for number, match in enumerate(told):
            if match["second"] is None and number not in self.figures.results:
                self.figures.results[number] = Result(points=(FREE, 0), is_played=False)
                self.figures.byes += 1
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
                self._report_by_phones(number, match["board"], result)
            else:
                self._enter(number, result)
            self.figures.results[number] = result
            entered += 1
            self._check_all()

    def correct(self, number: int) -> None:
        """Correct the result of a match that was played."""
        old = self.figures.results[number]
        fresh = Result(points=(old.points[1], old.points[0]), twenties=(9, 1))
        self._enter(number, fresh)
        self.figures.results[number] = fresh
        self._check_all()

    def enter_late(self, name: str) -> None:
        """Add a late player to the Swiss."""
        page = self.organiser
        page.goto("/tournaments/1")
        page.locator("summary", has_text="Late entries").click()
        page.locator("#entry").fill(name)
        self._send(page.get_by_role("button", name="Add", exact=True), page)

    def take_out(self, name: str) -> None:
        """Withdraw a player; the page shows the tables first."""
        page = self._open_players()
        page.locator("#leaving").select_option(label=name)
        page.get_by_role("button", name="Withdraw").click()
        expect(page.get_by_role("heading", name=f"{name} withdraws")).to_be_visible()
        self._send(page.get_by_role("button", name="Withdraw").first, page)

    def let_rest(self, name: str) -> None:
        """Let a player sit out the next round."""
        page = self._open_players()
        page.locator("#resting").select_option(label=name)
        self._send(page.get_by_role("button", name="Sit out"), page)

    def rename(self, old: str, new: str) -> None:
        """Correct a name."""
        page = self._open_players()
        page.locator("#renamed").select_option(label=old)
        page.locator("#new-name").fill(new)
        self._send(page.get_by_role("button", name="Rename"), page)

    def _open_players(self) -> Page:
        self.organiser.goto("/tournaments/1")
        self.organiser.locator("summary", has_text="Late entries").click()
        return self.organiser

    def _swap(self) -> None:
        """Swap two players of the round who have not met each other's opponents."""
        page, matches = self.organiser, self.server.read()["matches"]
        last = [m for m in matches if m["points"] is None and m["second"]]
        met = {frozenset(_names(match)) for match in matches}
        one, other = next(
            (a["second"], b["second"])
            for a in last
            for b in last
            if a is not b
            and frozenset((a["first"], b["second"])) not in met
            and frozenset((b["first"], a["second"])) not in met
        )
        page.locator("summary", has_text="Swap two players").click()
        page.locator("select[name=first]:not(.result *)").select_option(label=one)
        page.locator("select[name=second]").select_option(label=other)
        self._send(page.get_by_role("button", name="Swap", exact=True), page)
        after = self.server.read()["matches"]
        paired = {frozenset(_names(match)) for match in after}
        self.figures.swapped += paired != met

    def begin_finals(self) -> None:
        """A knock-out of the best."""
        page = self.organiser
        page.goto("/tournaments/1")
        form = page.locator("form[action$='/stage']")
        if not form.is_visible():
            page.locator("summary", has_text="The next stage").click()
        form.locator("#stage-name").fill("Gold final")
        form.locator("[name=third_place]").check()
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
            name = cells[1].removesuffix(" (withdrawn)")
            rows.append((int(cells[0]), name, int(cells[5]), int(cells[6])))
        return rows

    def _join_board(self) -> None:
        """Sign the board's scorer in with its code from the organiser's page."""
        code = self.organiser.evaluate("document.querySelectorAll('.qr svg').length")
        assert code >= BOARDS
        secret = json.loads(next(self.server_folder.glob("*.secret")).read_text())
        self.board.goto(f"/boards/1/join#{_board_code(secret, 1)}")
        self.board.wait_for_url(f"{self.server.address}/boards/1")

    @property
    def server_folder(self) -> Path:
        """The folder of the server's files."""
        return Path(self.server._command[-1])

    def _find_open(self) -> int | None:
        """A match with a board and without a result."""
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
            twenties = (4, 4)  # one per round
        return Result(points=(first, MOST - first), twenties=twenties)

    def _enter(self, number: int, result: Result) -> None:
        """The organiser's form."""
        page = self.organiser
        page.goto("/tournaments/1")
        form = page.locator(f"form.result:has(input[name=match][value='{number}'])").first
        page.evaluate(
            "document.querySelectorAll('details').forEach((element) => (element.open = true))"
        )
        self._fill(form, result)
        self._send(form.locator("button"), page)

    def _fill(self, form: Locator, result: Result) -> None:
        form.locator("[name=first]").select_option(str(result.points[0]))
        form.locator("[name=first_twenties]").fill(str(result.twenties[0]))
        form.locator("[name=second_twenties]").fill(str(result.twenties[1]))

    def _give_walkover(self, number: int, winner: str) -> None:
        page = self.organiser
        page.goto("/tournaments/1")
        page.evaluate(
            "document.querySelectorAll('details').forEach((element) => (element.open = true))"
        )
        item = page.locator(f"li.pairing:has(input[name=match][value='{number}'])")
        self._send(item.get_by_role("button", name=f"Walkover for {winner}"), page)

    def _report_by_phones(self, number: int, board: str, result: Result) -> None:
        """One side reports with the board's QR code, and the other agrees, except once."""
        page = self.first
        page.goto(self.codes[board])
        page.locator("[name=by][value=first]").check()
        self._fill(page.locator("form:has([type=radio])"), result)
        self._send(page.get_by_role("button", name="Send result"), page)
        other, taps = self.second, _Taps()
        other.goto(self.codes[board])
        expect(other.locator(".claim")).to_contain_text(re.compile("says|reported"))
        if self.figures.refused or not self.figures.agreed:
            taps.tap(other.get_by_role("button", name="Agree"))
            expect(other.locator(".note.done")).to_be_visible()
            self.figures.agreed += 1
            self.figures.taps_to_agree = taps.count
            return
        other.get_by_role("button", name="No", exact=True).click()
        expect(other.locator(".note.problem").first).to_be_visible()
        wrong = Result(points=(result.points[1], result.points[0]), twenties=(1, 0))
        other.locator("[name=by][value=second]").check()
        self._fill(other.locator("form:has([type=radio])"), wrong)
        other.get_by_role("button", name="Send result").click()
        expect(other.locator(".claim")).to_have_count(2)
        self.organiser.goto("/tournaments/1")
        item = self.organiser.locator(f"li.pairing:has(input[name=match][value='{number}'])")
        expect(item.locator(".claim")).to_have_count(2)
        self._send(item.get_by_role("button", name="Accept this result").first, self.organiser)
        self.figures.refused += 1

    def _score_at_board(self, number: int, result: Result, *, kill: bool) -> None:
        """Score four rounds on the board's own page; the result reaches the tournament by
        itself.
        """
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
        expect(page.locator(".next strong").first).to_contain_text(re.compile("won|tied"))
        until_s = time.monotonic() + PATIENCE_MS / 1000
        while self.server.read()["matches"][number]["points"] is None:
            if time.monotonic() > until_s:
                raise SystemExit(f"Match {number}, scored at its board, reports no result.")
            time.sleep(0.1)

    def _check_all(self) -> None:
        """Check that the tournament has everything that was entered."""
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
    """The content of the board's QR code."""
    from webapp.http.token import Secret

    made = Secret(None)
    made.token, made.signing_key = secret["token"], secret["signing_key"]
    return made.board_code(number)


def _names(match: dict[str, Any]) -> tuple[str, str]:
    return match["first"], match["second"]


def _order_by_result(match: dict[str, Any]) -> tuple[str, str]:
    """Winner and loser."""
    first, second = _names(match)
    return (first, second) if match["points"][0] > match["points"][1] else (second, first)


def take_pictures(evening: Evening, folder: Path) -> None:
    """Pictures of the pages at the end of the evening, and the printed results page."""
    folder.mkdir(parents=True, exist_ok=True)
    page = evening.organiser
    for name, width, height in (("desktop", 1280, 900), ("phone", 390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        for path in ("", "/result", "/players/0", "/leave?entry=0"):
            page.goto(f"/tournaments/1{path}")
            target = folder / f"{name}{path.replace('/', '-').partition('?')[0]}.png"
            page.screenshot(path=target, full_page=True)
    page.goto("/tournaments/1/result")
    page.pdf(path=folder / "result.pdf")
    evening.first.set_viewport_size({"width": 1920, "height": 1080})
    evening.first.screenshot(path=folder / "wall.png")


def _split(points: int) -> list[int]:
    """Match points of four rounds, 2, 1 or 0 each."""
    rounds = [2] * (points // 2) + [1] * (points % 2)
    return rounds + [0] * (4 - len(rounds))


def rank_independently(
    matches: list[dict[str, Any]], results: dict[int, Result], names: list[str]
) -> list[tuple[int, str, int, int]]:
    """Rank, name, points and 20s of every player, ordered by points, 20s, opponents' points, and
    head to head.
    """
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
        name: (points[name], twenties[name], sum(points[opponent] for opponent in opponents[name]))
        for name in names
    }

    def measure(name: str) -> tuple[int, int, int, int]:
        level = [other for other in names if strength[other] == strength[name] and other != name]
        group = [name, *level]
        met = all(frozenset((a, b)) in winners for k, a in enumerate(group) for b in group[k + 1 :])
        wins = 0
        for rival in level if met else ():
            winner = winners[frozenset((name, rival))]
            wins += 1 if winner is None else 2 * (winner == name)
        return (*strength[name], wins)

    measured = {name: measure(name) for name in names}
    ranks = {name: 1 + sum(other > measured[name] for other in measured.values()) for name in names}
    return sorted((ranks[name], name, points[name], twenties[name]) for name in names)


@dataclass(slots=True)
class _Taps:
    """Counts taps of a finger."""

    count: int = 0

    def tap(self, target: Locator) -> None:
        """Tap it."""
        self.count += 1
        target.click()


def play(server: Server, browser: Browser, seed: int) -> Evening:
    """The whole evening."""
    evening = Evening(server, browser, random.Random(seed))
    evening.begin()
    for number in range(1, ROUNDS + 1):
        evening.play_round(
            is_paired=number == 1, kill=number == 3, walkover=number == 2, swap=number == 3
        )
        if number == 1:
            evening.enter_late(LATE)
        if number == 2:
            evening.rename(PLAYERS[1], RENAMED)
            evening.let_rest(RESTING)
            evening.take_out(LEAVER)
        if number == 4:
            played = [k for k, result in evening.figures.results.items() if result.is_played]
            matches = server.read()["matches"]
            evening.correct(next(k for k in played if matches[k]["round"] == 2))
        print(f"Round {number}: {len(evening.figures.results)} results", flush=True)
    evening.begin_finals()
    for _ in range(FINALISTS.bit_length() - 1):
        evening.play_round()
    return evening


def read_podium(page: Page) -> list[str]:
    """The names on the wall's podium."""
    page.goto("/tournaments/1/wall")
    page.locator(".wall-page .podium li").first.wait_for(state="attached")
    return page.locator(".wall-page .podium span").all_text_contents()


def main() -> int:
    """Play the evening, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", action="store_true", help="24 players on 10 boards")
    parser.add_argument("--pictures", type=Path, help="a folder for pictures of the pages")
    options = parser.parse_args()
    seed = options.seed
    begun_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            evening = play(server, browser, seed)
            told, shown = server.read(), sorted(evening.read_standing())
            podium = read_podium(evening.first)
            if options.pictures:
                take_pictures(evening, options.pictures)
        finally:
            browser.close()
            server.stop()
    figures = evening.figures
    names = [RENAMED if name == PLAYERS[1] else name for name in (*PLAYERS, LATE)]
    computed = rank_independently(told["matches"], figures.results, names)
    pairs = [frozenset(_names(match)) for match in told["matches"] if not match["stage"]]
    rematches = len(pairs) - len(set(pairs))
    best = [_order_by_result(match) for match in told["matches"][-2:]]
    expected = [*best[0], best[1][0]]
    print(f"Players, boards        {len(PLAYERS)} and 1 late, {BOARDS}")
    print(f"Matches, forms sent    {len(told['matches'])}, {figures.forms}")
    print(f"Rematches in the Swiss {rematches}")
    print(f"Server killed, down    1 time, {figures.down_s:.1f} s")
    print(f"Results lost           {figures.lost}")
    print(f"Standings as computed  {'yes' if shown == computed else 'NO'}")
    print(f"Podium, as computed    {podium}, {'yes' if podium == expected else 'NO'}")
    print(f"By phones              {figures.agreed} agreed, {figures.refused} refused")
    print(f"Swapped, byes          {figures.swapped}, {figures.byes}")
    print(f"Taps to agree          {figures.taps_to_agree}")
    print(f"Taps to first pairing  {figures.taps_to_pair}, {len(PLAYERS)} names pasted")
    print(f"Took                   {time.monotonic() - begun_s:.0f} s")
    if shown != computed:
        for one, other in zip(shown, computed, strict=False):
            print("shown", one, "computed", other, "" if one == other else "<<<")
    is_right = shown == computed and podium == expected and not figures.lost and not rematches
    return 0 if is_right and figures.agreed and figures.refused and figures.swapped else 1


if __name__ == "__main__":
    raise SystemExit(main())
