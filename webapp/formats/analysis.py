"""The analysis of a match as JSON, and as lines for a terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import mean, stdev
from typing import Any

from scorer.analysis.match_analysis import AnalysedShot, MatchAnalysis, Outlook
from scorer.match.state import MatchSetup


def analysis_json(setup: MatchSetup, analysis: MatchAnalysis) -> dict[str, Any]:
    """All shots with both sides' chances before and after; null if unknown."""
    return {
        "players": list(setup.players),
        "sides": list(setup.sides),
        "skill": str(analysis.skill),
        "weights": analysis.version,
        "is_calibrated_on": "simulated players",
        "now": outlook_json(analysis.now),
        "shots": [_shot_json(setup, shot) for shot in analysis.shots],
        "swings": [_shot_json(setup, shot) for shot in analysis.swings],
        "kinds": list_kinds(setup, analysis),
    }


def outlook_json(outlook: Outlook | None) -> dict[str, Any] | None:
    """Both sides' chances and the expected lead; None if unknown."""
    if outlook is None:
        return None
    chances = outlook.chances
    return {
        "win": None if chances is None else [round(chances.win, 3), round(chances.lose, 3)],
        "tie": None if chances is None else round(chances.tie, 3),
        "sigma": round(outlook.sigma, 3),
        "lead": round(outlook.lead, 1),
    }


def _shot_json(setup: MatchSetup, shot: AnalysedShot) -> dict[str, Any]:
    return {
        "round": shot.round,
        "number": shot.number,
        "player": setup.players[shot.player],
        "side": shot.side,
        "verdict": shot.verdict,
        "kind": str(shot.kind),
        "is_last": shot.is_last,
        "clip": shot.clip or None,
        "before": outlook_json(shot.before),
        "after": outlook_json(shot.after),
        "change": None if shot.change is None else round(shot.change, 3),
        "change_sigma": None if shot.change is None else round(shot.change_sigma, 3),
        "gain": None if shot.gain is None else round(shot.gain, 1),
        "words": describe_shot(setup, shot),
    }


def describe_shot(setup: MatchSetup, shot: AnalysedShot) -> str:
    """A shot's change, in players' words."""
    name = setup.players[shot.player]
    if shot.change is None or shot.before is None or shot.before.chances is None:
        return f"{name}: no figure, because the board is not known well enough."
    chance, change = shot.before.chances.of_side(shot.side), round(abs(shot.change) * 100)
    what = "foul" if shot.verdict == "foul" else "shot"
    verb = "cost" if shot.change < 0 else "gained"
    did = f"{verb} {change}%" if change else "changed nothing"
    return f"{name}'s chance of winning was {chance:.0%}, and the {what} {did}."


def list_kinds(setup: MatchSetup, analysis: MatchAnalysis) -> list[dict[str, Any]]:
    """All players' average gains by kind of shot: means with sigma and n."""
    return [
        {"player": setup.players[player], **row}
        for player in range(len(setup.players))
        for row in average_gains(
            (str(shot.kind), shot.gain)
            for shot in analysis.shots
            if shot.player == player and shot.gain is not None
        )
    ]


def average_gains(gains: Iterable[tuple[str, float]]) -> list[dict[str, Any]]:
    """The average of gains by kind of shot, with its sigma and n."""
    by_kind: dict[str, list[float]] = defaultdict(list)
    for kind, gain in gains:
        by_kind[kind].append(gain)
    rows = []
    for kind, found in sorted(by_kind.items()):
        average, count = mean(found), len(found)
        sigma = stdev(found) / count**0.5 if count > 1 else None
        rows.append(
            {
                "kind": kind,
                "shots": count,
                "gain": round(average, 1),
                "sigma": None if sigma is None else round(sigma, 1),
            }
        )
    return rows


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
        doubt = "" if row["sigma"] is None else f" ± {row['sigma']}"
        kind = row["kind"].replace("_", " ")
        lines.append(f"  {row['player']}, {kind}: {row['gain']:+}{doubt} ({row['shots']} shots)")
    lines.append(
        f"For {analysis.skill} players (model version {analysis.version}). The model was fitted to "
        "simulated players only."
    )
    return lines
