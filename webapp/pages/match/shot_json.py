"""A stored shot for pages and programs: the evidence that settles a dispute.

That is the verdict with its rule and its evidence, the board after the shot, and where its pictures
are.
"""

from __future__ import annotations

from collections.abc import Callable

from scorer.photo.rectified_image import RectifiedBoardImage
from scorer.referee.events import from_json
from webapp.live.clip_store import ShotRecord
from webapp.live.live_state import apply_event, make_off_state

#: What the verdict is called.
VERDICT_WORDS = {"legal": "legal", "foul": "foul", "needs_review": "needs a decision"}


def shot_row(shot: ShotRecord) -> dict[str, object]:
    """A line of a list of shots."""
    event = shot.event
    teams = {each["team"]: each["colour_name"] for each in event.get("teams", ())}
    return {
        "key": shot.key,
        "match": shot.match,
        "round": shot.round,
        "number": shot.number,
        "at": shot.at,
        "colour_name": teams.get(event.get("team")),
        "verdict": str(event.get("verdict")),
        "words": VERDICT_WORDS.get(str(event.get("verdict")), ""),
    }


def shot_json(
    shot: ShotRecord, picture_at: Callable[[int], str], video: str, plan: dict[str, object] | None
) -> dict[str, object]:
    """Everything that is kept of a shot; ``picture_at`` gives a picture's address.

    ``video`` is the address of its replay, if it has pictures.
    """
    live = apply_event(make_off_state(), from_json(shot.event))
    return {
        **shot_row(shot),
        "told": live["verdict"],
        "discs": live["discs"],
        "teams": live["teams"],
        "pictures": [
            {"t_s": t_s, "address": picture_at(number)} for number, t_s in enumerate(shot.times_s)
        ],
        "video": video if shot.times_s else None,
        "plan": plan,
    }


def plan_json(plan: RectifiedBoardImage, address: str) -> dict[str, object]:
    """The board from straight above: its picture's address, and what is drawn over it."""
    return {
        "picture": address,
        "half_mm": plan.half_mm,
        "foot_mm": plan.foot_mm,
        "lines": list(plan.lines),
        "hole": list(plan.hole),
    }
