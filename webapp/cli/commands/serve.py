"""``crokinole serve``: the scoreboard and its pages, for browsers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TextIO

import click

from calibration.profile import load_profile
from webapp.cli.argument_values import refuse_if
from webapp.cli.console import warn
from webapp.cli.kept_data import data_folder_of
from webapp.config import Config
from webapp.data_folder import KeptFiles
from webapp.http.cross_origin import check_site
from webapp.http.known_hosts import check_host_name
from webapp.http.logs import log_to_stderr
from webapp.http.token import Secret
from webapp.server import RunningServer, serve
from webapp.services import services_of


def serve_pages(
    sites: Sequence[str],
    host_names: Sequence[str],
    shots_mb: int,
    behind_proxy: bool,
    new_token: bool,
    **more: Any,
) -> None:
    """Serve until stopped.

    Raises ``UsageError`` for a second camera without a first, and for a text that is not a site.
    """
    refuse_if(
        (
            more["beside"] is not None and more["source"] is None,
            "--second-camera needs a first camera. Give it with --source.",
        )
    )
    config = build_config(
        sites=_check("--allow-site", sites, check_site),
        host_names=_check("--host-name", host_names, check_host_name),
        shots_bytes=shots_mb * 10**6,
        is_behind_proxy=behind_proxy,
        **more,
    )
    if new_token:
        assert config.secret is not None
        Secret(config.secret).replace_token()

    def begin(running: RunningServer) -> None:
        services_of(running.app).scoreboard.add_listener(_report_failure)
        print_addresses(running, sys.stdout)

    log_to_stderr()
    serve(config, on_ready=begin)


def _check(option: str, values: Sequence[str], check: Callable[[str], str]) -> tuple[str, ...]:
    """The values after ``check``. Raises ``UsageError`` for a value that it refuses."""
    try:
        return tuple(check(value) for value in values)
    except ValueError as error:
        raise click.UsageError(f"{option}: {error}") from None


def _report_failure(event: dict[str, object]) -> None:
    """Print in this window why the referee stopped; the pages stay open."""
    if event["type"] == "referee" and event["status"] == "failed":
        warn(f"{event['reason']} The pages stay open. Choose a camera on *Referee*.")


def build_config(
    *, db: str | None = None, data: Path | None, profile: Path | None, **more: Any
) -> Config:
    """The settings of a server; raises ``Trouble`` for a profile or a folder it cannot use."""
    if profile is not None:
        load_profile(profile)  # the referee reads it again when a camera is chosen
    kept = data_folder_of(db, data)
    files = {field.name: getattr(kept, field.name) for field in fields(KeptFiles)}
    return Config(data=kept.folder, profile=profile, **files, **more)


def print_addresses(running: RunningServer, out: TextIO) -> None:
    """Print the pages' addresses, with the token, because anybody who can see this window may have
    it.
    """
    out.write(
        f"Scoreboard     {running.address}/\n"
        f"For the scorer {running.scorer_address}\n"
        "Press Ctrl+C to stop.\n"
    )
    out.flush()
