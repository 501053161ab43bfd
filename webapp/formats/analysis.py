"""The analysis of a match as JSON, and as lines for a terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean, stdev
from typing import TYPE_CHECKING

from scorer.match.state import MatchSetup

if TYPE_CHECKING:  # importing it loads NumPy
    from scorer.analysis.match_analysis import AnalysedShot, MatchAnalysis, Outlook


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlookRow:
    """Both sides' expectations: chances to win the match, and side 0's lead at the round's end.

    ``sigma`` is one standard deviation of a chance due to the places of discs; ``win`` and ``tie``
    are null if the chances are not known.
    """

    win: tuple[float, ...] | None
    tie: float | None
    sigma: float
    lead: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedShotRow:
    """A shot, with the change that it made to its side's chance and expected lead."""

    round: int
    number: int
    player: str
    side: int
    verdict: str
    kind: str
    is_last: bool
    clip: str | None
    before: OutlookRow | None
    after: OutlookRow | None
    change: float | None
    change_sigma: float | None
    gain: float | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KindOfShot:
    """Points per shot that a player gained compared with an average player, by kind of shot."""

    player: str
    kind: str
    shots: int
    gain: float
    sigma: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A match shot by shot, calibrated only on simulated players; ``swings`` are the largest
    changes.
    """

    players: tuple[str, ...]
    sides: tuple[str, ...]
    skill: str
    weights: str
    is_calibrated_on: str
    now: OutlookRow | None
    shots: tuple[AnalysedShotRow, ...]
    swings: tuple[AnalysedShotRow, ...]
    kinds: tuple[KindOfShot, ...]


def describe_analysis(setup: MatchSetup, analysis: MatchAnalysis) -> Analysis:
    """All shots with both sides' chances before and after; null if unknown."""
    return Analysis(
        players=setup.players,
        sides=setup.sides,
        skill=str(analysis.skill),
        weights=analysis.version,
        is_calibrated_on="simulated players",
        now=describe_outlook(analysis.now),
        shots=tuple(_describe_analysed(setup, shot) for shot in analysis.shots),
        swings=tuple(_describe_analysed(setup, shot) for shot in analysis.swings),
        kinds=list_kinds(setup, analysis),
    )


def describe_outlook(outlook: Outlook | None) -> OutlookRow | None:
    """Both sides' chances and the expected lead; None if unknown."""
    if outlook is None:
        return None
    chances = outlook.chances
    return OutlookRow(
        win=None if chances is None else (round(chances.win, 3), round(chances.lose, 3)),
        tie=None if chances is None else round(chances.tie, 3),
        sigma=round(outlook.sigma, 3),
        lead=round(outlook.lead, 1),
    )


def _describe_analysed(setup: MatchSetup, shot: AnalysedShot) -> AnalysedShotRow:
    return AnalysedShotRow(
        round=shot.round,
        number=shot.number,
        player=setup.players[shot.player],
        side=shot.side,
        verdict=shot.verdict,
        kind=str(shot.kind),
        is_last=shot.is_last,
        clip=shot.clip or None,
        before=describe_outlook(shot.before),
        after=describe_outlook(shot.after),
        change=None if shot.change is None else round(shot.change, 3),
        change_sigma=None if shot.change is None else round(shot.change_sigma, 3),
        gain=None if shot.gain is None else round(shot.gain, 1),
        words=describe_shot(setup, shot),
    )


def describe_shot(setup: MatchSetup, shot: AnalysedShot) -> str:
    """A shot's change, in players' words."""
    name = setup.players[shot.player]
    if shot.change is None or shot.before is None or shot.before.chances is None:
        return f"{name}: no figure, because it is not certain where the discs were."
    chance, change = shot.before.chances.of_side(shot.side), round(abs(shot.change) * 100)
    what = "foul" if shot.verdict == "foul" else "shot"
    verb = "cost" if shot.change < 0 else "gained"
    did = f"{verb} {change}%" if change else "changed nothing"
    return f"{name}'s chance of winning was {chance:.0%}, and the {what} {did}."


def list_kinds(setup: MatchSetup, analysis: MatchAnalysis) -> tuple[KindOfShot, ...]:
    """All players' average gains by kind of shot: means with sigma and n."""
    gains = [(shot.player, str(shot.kind), shot.gain) for shot in analysis.shots]
    return tuple(
        row
        for player, name in enumerate(setup.players)
        for row in average_gains(
            name, [(kind, gain) for of, kind, gain in gains if of == player and gain is not None]
        )
    )


def average_gains(player: str, gains: Iterable[tuple[str, float]]) -> list[KindOfShot]:
    """The average of a player's gains by kind of shot, with its sigma and n."""
    by_kind: dict[str, list[float]] = defaultdict(list)
    for kind, gain in gains:
        by_kind[kind].append(gain)
    return [
        KindOfShot(
            player=player,
            kind=kind,
            shots=len(found),
            gain=round(mean(found), 1),
            sigma=round(stdev(found) / len(found) ** 0.5, 1) if len(found) > 1 else None,
        )
        for kind, found in sorted(by_kind.items())
    ]


def analysis_lines(setup: MatchSetup, analysis: MatchAnalysis) -> list[str]:
    """The text for people."""
    if not any(shot.change is not None for shot in analysis.shots):
        return ["Nothing to analyse: the log has no disc positions, or more than two sides play."]
    lines = []
    if analysis.now and analysis.now.chances:
        chances = analysis.now.chances
        lines.append(
            f"{setup.sides[0]} {chances.win:.0%}, tie {chances.tie:.0%}, "
            f"{setup.sides[1]} {chances.lose:.0%}."
        )
    lines.append("The biggest swings:")
    for shot in analysis.swings:
        lines.append(f"  Round {shot.round}, shot {shot.number}: {describe_shot(setup, shot)}")
    lines.append(
        "Points gained per shot, against a simulated player; compare players with each other:"
    )
    for row in list_kinds(setup, analysis):
        doubt = "" if row.sigma is None else f" ± {row.sigma}"
        kind = row.kind.replace("_", " ")
        lines.append(f"  {row.player}, {kind}: {row.gain:+}{doubt} ({row.shots} shots)")
    lines.append(
        f"For {analysis.skill} players (model version {analysis.version}). The model was fitted to "
        "simulated players only."
    )
    return lines
