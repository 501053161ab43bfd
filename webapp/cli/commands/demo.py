"""``crokinole demo``: a sample round, refereed on a live scoreboard in the browser.

Its matches are not saved.
"""

from __future__ import annotations

import tempfile
import threading
import webbrowser
from pathlib import Path

from webapp.cli.demo_match import Demo, begin_demo
from webapp.config import Config
from webapp.http.logs import log_to_stderr
from webapp.server import RunningServer, serve

#: Time for a browser to open before the round begins.
_BROWSER_OPENING_S = 8.0


def run_demo(host: str, port: int, no_browser: bool, fast: bool, once: bool) -> list[str]:
    """Serve until stopped; returns the errors, one sentence each."""
    log_to_stderr(is_brief=True)  # so that the addresses stay visible
    problems: list[str] = []

    def show(running: RunningServer) -> None:
        print(
            f"Watch the sample round at {running.address}/\n"
            f"Join as the scorer at {running.scorer_address}\n"
            "Press Ctrl+C to stop.",
            flush=True,
        )
        is_opened = not no_browser and _open_browser(running.scorer_address)
        demo = begin_demo(running, wait_s=_BROWSER_OPENING_S if is_opened else 0.0, is_fast=fast)
        threading.Thread(target=report_end, args=(demo, running), daemon=True).start()

    def report_end(demo: Demo, running: RunningServer) -> None:
        problem = demo.wait()
        if problem is None:
            print(*demo.describe_score(), sep="\n", flush=True)
        else:
            problems.append(problem)
        if once:
            running.stop()
        elif problem is None:
            print(
                "The sample round is over. To try your own board, send a photo to "
                f"{running.address}/score, or join as the scorer and choose a camera on *Referee*.",
                flush=True,
            )

    with tempfile.TemporaryDirectory(prefix="crokinole-demo-") as folder:
        database = str(Path(folder) / "demo.db")
        config = Config(host=host, port=port, database=database, is_demo=True)
        serve(config, on_ready=show)
    return problems


def _open_browser(address: str) -> bool:
    """Open the page in a browser; returns whether there is one."""
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
