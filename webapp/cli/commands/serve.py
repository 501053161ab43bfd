"""``crokinole serve``: the scoreboard and its pages, for browsers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from webapp.cli.argument_values import UsageError, whole_number
from webapp.cli.data_arguments import add_database, data_folder_of
from webapp.cli.rules_argument import add_rules
from webapp.config import CLIP_STORE_BYTES, LOOPBACK, PORT, Config


def add_to(commands: Any, summary: str) -> None:
    """Add this command to argparse's subparsers."""
    parser = commands.add_parser(
        "serve",
        help=summary,
        description="Serve the scoreboard and its pages to browsers.",
    )
    add_address(parser)
    add_database(parser)
    parser.add_argument(
        "--source", metavar="S", help="what the referee watches: a camera's number, a URL, a file"
    )
    parser.add_argument("--beside", metavar="S", help="a second camera on the same board")
    add_rules(parser)
    parser.add_argument("--profile", type=Path, metavar="FILE", help="a board's and discs' sizes")
    parser.add_argument(
        "--tls", action="store_true", help="speak HTTPS, which phones ask for to lend their camera"
    )
    parser.add_argument(
        "--new-token",
        action="store_true",
        help="make a new scorer's code; whoever has the old one is out",
    )
    parser.add_argument(
        "--hooks-inside", action="store_true", help="let webhooks reach this machine and network"
    )
    parser.add_argument(
        "--allow-site",
        action="append",
        default=[],
        metavar="SITE",
        help="let a site's pages use the API, as https://club.example; may be given again",
    )
    parser.add_argument(
        "--host-name",
        action="append",
        default=[],
        metavar="NAME",
        help="a name by which browsers reach it, such as club.example; repeat for more",
    )
    parser.add_argument(
        "--proxies",
        type=whole_number(0, 9),
        default=0,
        metavar="N",
        help="how many of your proxies stand before it, whose X-Forwarded-For is believed",
    )
    parser.add_argument(
        "--behind-proxy",
        action="store_true",
        help="trust one proxy's X-Forwarded-For, -Proto, -Host and -Prefix",
    )
    parser.add_argument(
        "--shots-mb",
        type=whole_number(0),
        default=CLIP_STORE_BYTES // 10**6,
        metavar="MB",
        help="how much may be kept of the shots that were seen, the newest first; %(default)s",
    )
    parser.add_argument(
        "--workers",
        type=whole_number(0),
        metavar="N",
        help="leave cameras to workers, and start so many here; 0 where others do",
    )
    parser.set_defaults(run=run)


def add_address(parser: argparse.ArgumentParser) -> None:
    """The arguments that say where to listen."""
    parser.add_argument(
        "--host", default=LOOPBACK, metavar="H", help="%(default)s; 0.0.0.0 for your network"
    )
    parser.add_argument(
        "--port", type=whole_number(0, 65535), default=PORT, metavar="P", help="%(default)s"
    )


def run(arguments: argparse.Namespace) -> list[str]:
    """Serve until stopped; returns what went wrong, one sentence each.

    Raises ``UsageError`` for a second camera without a first, and for what is no site.
    """
    from calibration.profile import ProfileError
    from scorer.store import StoreError
    from webapp.data_folder import DataFolderError
    from webapp.http.cross_origin import check_site
    from webapp.http.known_hosts import check_host_name
    from webapp.http.token import Secret, SecretError
    from webapp.services import services_of

    if arguments.beside is not None and arguments.source is None:
        raise UsageError("--beside names a second camera; name the first with --source.")
    try:
        sites = tuple(check_site(each) for each in arguments.allow_site)
    except ValueError as error:
        raise UsageError(f"--allow-site: {error}") from None
    try:
        names = tuple(check_host_name(each) for each in arguments.host_name)
    except ValueError as error:
        raise UsageError(f"--host-name: {error}") from None
    try:
        config = build_config(arguments)
        if arguments.new_token:
            Secret(config.secret).replace_token()
    except (DataFolderError, ProfileError, SecretError, StoreError) as error:
        return [str(error)]
    adjusted = replace(
        config,
        tls=arguments.tls,
        hooks_inside=arguments.hooks_inside,
        sites=sites,
        proxies=arguments.proxies,
        host_names=names,
        is_behind_proxy=arguments.behind_proxy,
        shots_bytes=arguments.shots_mb * 10**6,
        workers=arguments.workers,
    )

    def begin(running: Any) -> None:
        services_of(running.app).scoreboard.add_listener(_tell_failure)
        print_addresses(running, sys.stdout)

    return serve_until_stopped(adjusted, begin)


def _tell_failure(event: dict[str, Any]) -> None:
    """Say in this window, too, why the referee stopped; the pages go on."""
    if event["type"] == "referee" and event["status"] == "failed":
        words = f"{event['reason']} The pages stay; choose what is watched on *Referee*."
        print(f"crokinole: {words}", file=sys.stderr, flush=True)


def build_config(arguments: argparse.Namespace) -> Config:
    """The settings that commands which serve share.

    Raises ``ProfileError`` where the profile cannot be used, ``DataFolderError`` and
    ``StoreError``.
    """
    if arguments.profile is not None:
        from calibration.profile import load_profile  # which loads arrays

        load_profile(arguments.profile)  # the referee reads it again, when a camera is chosen
    data = data_folder_of(arguments)
    return Config(
        host=arguments.host,
        port=arguments.port,
        database=data.database,
        data=data.folder,
        source=arguments.source,
        beside=arguments.beside,
        rules=arguments.rules,
        profile=arguments.profile,
        secret=data.secret,
        shots=data.shots,
        hooks=data.hooks,
        profiles=data.profiles,
        tls_certificate=data.tls_certificate,
        tls_key=data.tls_key,
    )


def serve_until_stopped(config: Config, on_ready: Callable[[Any], None]) -> list[str]:
    """Serve until a signal; returns what went wrong, one sentence each."""
    # Pages and their server take long to load, and no other command needs them.
    from calibration.profile import ProfileError
    from scorer.match.events import MatchError
    from scorer.store import StoreError
    from webapp.http.logs import log_to_stderr
    from webapp.http.token import SecretError
    from webapp.server import ServeError, serve

    log_to_stderr()
    try:
        serve(config, on_ready=on_ready)
    except (ServeError, SecretError, StoreError, ProfileError, MatchError) as error:
        return [str(error)]
    return []


def print_addresses(running: Any, out: TextIO) -> None:
    """Say where the pages are; the token is for whoever can read this window."""
    out.write(
        f"Scoreboard     {running.address}/\n"
        f"For the scorer {running.scorer_address}\n"
        "Stop it with Ctrl-C.\n"
    )
    out.flush()
