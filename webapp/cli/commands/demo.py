"""``crokinole demo``: a sample round, refereed into a live scoreboard in the browser.

Its matches are kept nowhere.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import webbrowser
from pathlib import Path
from typing import Any

from webapp.cli.commands.serve import add_address

#: A browser that was asked to open gets this long before the round begins.
_BROWSER_OPENING_S = 8.0


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "demo",
        help=summary,
        description="Referee a sample round into a live scoreboard in the browser.",
    )
    add_address(parser)
    parser.add_argument("--no-browser", action="store_true", help="open no browser")
    parser.add_argument("--fast", action="store_true", help="as fast as can be, not as filmed")
    parser.add_argument(
        "--once", action="store_true", help="stop when the round is over, and print its score"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Serve until stopped; returns what went wrong, one sentence each."""
    # Pages and their server take long to load, and no other command needs them.
    from webapp.cli.demo_match import Demo, DemoError, begin_demo
    from webapp.config import Config
    from webapp.http.logs import log_to_stderr
    from webapp.server import RunningServer, ServeError, serve

    log_to_stderr(is_brief=True)  # the addresses stay in sight
    problems: list[str] = []

    def show(running: RunningServer) -> None:
        sys.stdout.write(
            f"A sample round is refereed at {running.address}/\n"
            f"To try the scorer's pages: {running.scorer_address}\n"
            "Stop it with Ctrl-C.\n"
        )
        sys.stdout.flush()
        is_opened = not arguments.no_browser and _open_browser(f"{running.address}/")
        demo = begin_demo(
            running, wait_s=_BROWSER_OPENING_S if is_opened else 0.0, is_fast=arguments.fast
        )
        threading.Thread(target=tell_end, args=(demo, running), daemon=True).start()

    def tell_end(demo: Demo, running: RunningServer) -> None:
        problem = demo.wait()
        if problem is None:
            print(*demo.describe_score(), sep="\n", flush=True)
        else:
            problems.append(problem)
        if arguments.once:
            running.stop()
        elif problem is None:
            print(
                f"The sample round is over. Your own board: send a photograph to "
                f"{running.address}/score, or choose a camera under Referee in the scorer's pages.",
                flush=True,
            )

    with tempfile.TemporaryDirectory(prefix="crokinole-demo-") as folder:
        config = Config(
            host=arguments.host, port=arguments.port, database=str(Path(folder) / "demo.db")
        )
        try:
            serve(config, on_ready=show)
        except (ServeError, DemoError) as error:
            return [str(error)]
    return problems


def _open_browser(address: str) -> bool:
    """Whether there is a browser, which then opens the page."""
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
