"""``crokinole serve``: the scoreboard and its pages, for browsers.

Knows the command's arguments, and what its window says.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from scorer.rules.names import RuleSetName
from webapp.config import DATABASE, LOOPBACK, PORT, Config, hooks_beside, secret_beside


def add_to(commands: Any) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "serve",
        help="serve the scoreboard and its pages to browsers",
        description="Serve the scoreboard and its pages to browsers.",
    )
    add_address(parser)
    parser.add_argument(
        "--db", default=DATABASE, metavar="URL", help="a file or a database URL; %(default)s"
    )
    parser.add_argument(
        "--source", metavar="S", help="what the referee watches: a camera's number, a URL, a file"
    )
    parser.add_argument("--rules", choices=[str(name) for name in RuleSetName], default="nca")
    parser.add_argument("--profile", type=Path, metavar="FILE", help="a board's and discs' sizes")
    parser.add_argument(
        "--tls", action="store_true", help="speak HTTPS, which phones ask for to lend their camera"
    )
    parser.add_argument(
        "--new-token", action="store_true", help="make a new token; whoever has the old one is out"
    )
    parser.add_argument(
        "--hooks-inside", action="store_true", help="let webhooks reach this machine and network"
    )
    parser.set_defaults(run=run)


def add_address(parser: argparse.ArgumentParser) -> None:
    """The arguments that say where to listen."""
    parser.add_argument(
        "--host", default=LOOPBACK, metavar="H", help="%(default)s; 0.0.0.0 for your network"
    )
    parser.add_argument("--port", type=int, default=PORT, metavar="P", help="%(default)s")


def run(arguments: argparse.Namespace) -> list[str]:
    """Serve until stopped; returns what went wrong, one sentence each."""
    # Pages and their server take long to load, and no other command needs them.
    from calibration.profile import ProfileError, load_profile
    from scorer.store import StoreError
    from webapp.logs import log_to_stderr
    from webapp.secret import Secret, SecretError
    from webapp.server import ServeError, serve

    config = Config(
        host=arguments.host,
        port=arguments.port,
        database=arguments.db,
        source=arguments.source,
        rules=arguments.rules,
        profile=arguments.profile,
        secret=secret_beside(arguments.db),
        hooks=hooks_beside(arguments.db),
        hooks_inside=arguments.hooks_inside,
        tls=arguments.tls,
    )
    log_to_stderr()
    try:
        if config.profile is not None:
            load_profile(config.profile)
        if arguments.new_token:
            Secret(config.secret).replace_token()
        serve(config, on_ready=say_where)
    except (ProfileError, ServeError, SecretError, StoreError) as error:
        return [str(error)]
    return []


def say_where(running: Any) -> None:
    """Say where the pages are; the token is for whoever can read this window."""
    sys.stdout.write(
        f"Scoreboard     {running.address}/\n"
        f"For the scorer {running.scorer_address}\n"
        "Stop it with Ctrl-C.\n"
    )
    sys.stdout.flush()
