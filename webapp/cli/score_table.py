"""Scores as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from rich.console import Console, RenderableType
from rich.table import Column, Table
from rich.text import Text

from calibration.placed_disc import DiscState
from scorer.photo.called_disc import CalledDisc
from scorer.photo.fused_score import FusedScore
from scorer.photo.score import Score, ScoreStatus
from scorer.zones import CallCertainty
from webapp.cli.console import print_part
from webapp.live.ruling_messages import STATES


def print_score(console: Console, score: Score, overlay: Path | None = None) -> None:
    """Print one scored picture: its discs, its totals and the question for a person."""
    console.print(Text(score.image, style="bold"))
    for part in _score_parts(score):
        print_part(console, part)
    if overlay is not None:
        console.print(Text(f"Drawn in {overlay}", style="dim"), soft_wrap=True)
    console.print()


def print_fused_score(console: Console, fused: FusedScore, overlays: Sequence[Path]) -> None:
    """Print the score of both cameras, and the discs that only one of them saw."""
    print_score(console, fused.score)
    for score in fused.single_scores:
        if score.status is ScoreStatus.SCORED:
            print_part(console, Text(f"{score.image} alone: {format_totals(score)}", style="dim"))
    if fused.note is not None:
        print_part(console, Text(fused.note, style="yellow"))
    for path in overlays:
        console.print(Text(f"Drawn in {path}", style="dim"), soft_wrap=True)


def _score_parts(score: Score) -> Iterator[RenderableType]:
    if score.discs:
        yield _make_disc_table(score.discs)
    else:
        yield Text("No discs on the board.")
    yield Text(format_totals(score), style="bold")
    if score.needs_review:
        yield Text(" ".join(("Needs review.", *score.concerns)), style="yellow")
    if score.advice is not None:
        yield Text(score.advice.sentence, style="cyan")


def format_totals(score: Score) -> str:
    """All teams' points and twenties, such as "white 45 (20s: 1) · black 30"."""
    assert score.reading is not None
    names = {team.number: team.colour_name for team in score.reading.teams}
    if not score.totals:
        return "Total: no discs to count"
    return "Total: " + " · ".join(
        f"{names[total.team]} {total.points}{_format_twenties(total.twenties)}"
        for total in score.totals
    )


def _format_twenties(count: int) -> str:
    if count == 0:
        return ""
    return f" (20s: {count})"


def _make_disc_table(discs: tuple[CalledDisc, ...]) -> Table:
    right = partial(Column, justify="right")
    columns = (right("disc"), "team", right("zone"), right("margin, mm"), "inside", "call", "state")
    table = Table(*columns, box=None, pad_edge=False, header_style="dim")
    for number, disc in enumerate(discs, start=1):
        table.add_row(
            str(number),
            disc.team.colour_name,
            str(disc.call.zone),
            f"{disc.call.margin_mm:+.1f} ± {disc.call.sigma_mm:.1f}",
            disc.call.boundary.value,
            _describe_call(disc),
            "" if disc.disc.state is DiscState.FLAT else STATES[disc.disc.state],
            style="yellow" if disc.call.call is CallCertainty.CLOSE else None,
        )
    return table


def _describe_call(disc: CalledDisc) -> str:
    call = disc.call
    if call.call is CallCertainty.CERTAIN:
        return "certain"
    if call.alternative is None:
        return "close: hard to see" if disc.disc.has_clear_team else "close: unclear whose disc"
    return f"close: {call.zone} or {call.alternative}"
