"""``crokinole worker``: referees cameras of a server's boards, on this machine or on another."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
from typing import Any

from webapp.cli.argument_values import whole_number
from webapp.cli.data_arguments import add_database, data_folder_of
from webapp.cli.rules_argument import add_rules


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "worker",
        help=summary,
        description="Referee the cameras of boards whose server runs with --workers; the database "
        "decides which worker has which.",
    )
    add_database(parser)
    parser.add_argument("--name", help="which no other worker has; this machine's and a number")
    parser.add_argument(
        "--most", type=whole_number(1), default=6, metavar="N", help="cameras at once; %(default)s"
    )
    add_rules(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> list[str]:
    """Work until a signal; returns what went wrong, one sentence each."""
    # A server's parts take long to load, and no other command needs them.
    from scorer.store import Store, StoreError
    from webapp.data_folder import DataFolderError
    from webapp.http.logs import log_to_stderr
    from webapp.live.clip_store import ClipStore
    from webapp.live.workers.camera_worker import CameraWorker

    log_to_stderr()
    name = arguments.name or f"{socket.gethostname()}-{os.getpid()}"
    try:
        data = data_folder_of(arguments)
        with Store(data.database, announces=True) as store:
            shots = ClipStore(data.shots)
            worker = CameraWorker(store, shots, name, rules=arguments.rules, most=arguments.most)
            for each in (signal.SIGINT, signal.SIGTERM):
                signal.signal(each, lambda *_: worker.stop())
            sys.stderr.write(f"crokinole: worker {name} waits for cameras; stop it with Ctrl-C.\n")
            worker.run()
            shots.close()
    except (DataFolderError, StoreError) as error:
        return [str(error)]
    return []
