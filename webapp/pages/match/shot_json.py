"""A stored shot for pages and programs: the evidence that settles a dispute.

It has the verdict with its rule and its evidence, the board after the shot, and the addresses of
its pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from calibration.json_text import to_plain
from calibration.phrase import Phrase
from scorer.photo.rectified_image import RectifiedBoardImage
from scorer.referee.events import SeenTeam
from scorer.rules.judge_shot import Verdict
from webapp.live.clip_store import ShotRecord
from webapp.live.live_state import LiveDisc, LiveState, apply_event

#: Names of the verdicts.
VERDICT_WORDS = {
    Verdict.LEGAL: "legal",
    Verdict.FOUL: "foul",
    Verdict.NEEDS_REVIEW: Phrase("needs a decision"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotRow:
    """A seen shot; the match and its round if there was one."""

    key: str
    match: int | None
    round: int | None
    number: int
    at: str
    colour_name: str | None
    verdict: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The board from straight above: y downwards, mm from its centre."""

    picture: str
    half_mm: float
    foot_mm: float
    lines: tuple[str, ...]
    hole: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One picture of a shot."""

    t_s: float
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot(ShotRow):
    """A shot with its evidence, the discs after it, and its replay.

    ``video`` is MP4 and begins at the first picture's time; the pictures are its frames.
    """

    told: dict[str, object]
    discs: tuple[LiveDisc, ...]
    teams: tuple[SeenTeam, ...]
    pictures: tuple[Picture, ...]
    video: str | None
    plan: Plan | None


def shot_row(shot: ShotRecord) -> ShotRow:
    """A line of a list of shots."""
    colours = {team.team: team.colour_name for team in shot.event.teams}
    return ShotRow(
        key=shot.key,
        match=shot.match,
        round=shot.round,
        number=shot.number,
        at=shot.at,
        colour_name=colours.get(shot.event.team),
        verdict=str(shot.event.verdict),
        words=VERDICT_WORDS[shot.event.verdict],
    )


def describe_shot(shot: ShotRecord, pictures: Sequence[str], video: str, plan: Plan | None) -> Shot:
    """All the stored facts of a shot; ``pictures`` are the addresses of its pictures.

    ``video`` is the address of its replay, if it has pictures.
    """
    live = apply_event(LiveState(), shot.event)
    told = to_plain(live.verdict)
    del told["shot"]  # the key contains the match
    row = shot_row(shot)
    return Shot(
        **{field.name: getattr(row, field.name) for field in fields(row)},
        told=told,
        discs=live.discs,
        teams=live.teams,
        pictures=tuple(
            Picture(t_s=t_s, address=address)
            for t_s, address in zip(shot.times_s, pictures, strict=True)
        ),
        video=video if shot.times_s else None,
        plan=plan,
    )


def describe_plan(plan: RectifiedBoardImage, address: str) -> Plan:
    """The board from straight above: its picture's address, and its overlay."""
    return Plan(
        picture=address,
        half_mm=plan.half_mm,
        foot_mm=plan.foot_mm,
        lines=plan.lines,
        hole=plan.hole,
    )
