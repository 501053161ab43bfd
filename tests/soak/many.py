"""Times pages and routes of a server that has many matches: ``make many``.

A database of matches, players and practices is written at once, a server is started on it, and
every page and route is requested in turn. A table gives the median and the worst time of every
address.
"""

from __future__ import annotations

import argparse
import http.client
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from many_matches import fill_with_matches, fill_with_practices
from served_thread import serve_in_thread

from scorer.store import Store
from webapp.config import Config


def list_addresses(matches: int, name: str) -> list[str]:
    """Every page and route that shows matches, players or practices."""
    player = name.replace(" ", "+")
    return [
        "/healthz",
        "/",
        "/match",
        f"/match/{matches // 2}",
        "/matches",
        f"/matches?page={matches // 50}",
        f"/matches?q={player}",
        "/matches?q=2021-03",
        "/matches?q=nobody",
        "/players",
        "/players?page=5",
        f"/player?name={player}",
        "/practice",
        "/practice/5",
        "/tournaments",
        "/api/v1/state",
        "/api/v1/matches",
        f"/api/v1/matches?after={matches - 200}",
        f"/api/v1/matches?page={matches // 25}",
        f"/api/v1/matches?q={player}",
        f"/api/v1/matches/{matches // 2}",
        f"/api/v1/matches/{matches // 2}/events",
        f"/api/v1/matches/{matches // 2}/players",
        f"/api/v1/matches/{matches // 2}/export",
        "/api/v1/practices",
        f"/api/v1/practices?player={player}&page=2",
        "/api/v1/practices/5",
    ]


def time_address(
    connection: http.client.HTTPConnection, address: str, times: int
) -> tuple[list[float], list[float]]:
    """The durations of the answers and their processor times in this process, ms."""
    taken_ms, work_ms = [], []
    for _ in range(times):
        began_s, work_s = time.perf_counter(), time.process_time()
        connection.request("GET", address)
        answer = connection.getresponse()
        answer.read()
        taken_ms.append(1000 * (time.perf_counter() - began_s))
        work_ms.append(1000 * (time.process_time() - work_s))
        if answer.status not in (200, 302):
            raise SystemExit(f"{address} answers {answer.status}")
    return taken_ms, work_ms


def main() -> None:
    """Fill a database, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--players", type=int, default=2_000)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--db", help="a database that is filled already, or is to be")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = told.db or str(Path(folder) / "many.db")
        with Store(database) as store:
            names = [f"Player {number:04}" for number in range(told.players)]
            if store.newest() is None:
                fill_with_matches(store, told.matches, players=told.players)
                fill_with_practices(store, told.matches // 5, names)
        config = Config(database=database, port=0, is_rate_limit_off=True)
        with serve_in_thread(config) as running:
            host, _, port = running.address.removeprefix("http://").partition(":")
            connection = http.client.HTTPConnection(host, int(port), timeout=60)
            print(f"{'address':44} median ms  worst ms  work ms")
            for address in list_addresses(told.matches, names[7]):
                taken_ms, work_ms = time_address(connection, address, told.times)
                medians = statistics.median(taken_ms), max(taken_ms), statistics.median(work_ms)
                print(f"{address:44}" + "".join(f" {median:9.1f}" for median in medians))


if __name__ == "__main__":
    main()
