"""The sample round: a match for the sample clip, and a referee that watches the clip.

The file next to the clip gives the colours, discs and the starter; the camera sees the rest.
"""

from __future__ import annotations

import json
from pathlib import Path

from calibration.phrase import Phrase
from calibration.user_error import Trouble
from scorer.match.events import MatchStarted, RoundStarted
from scorer.rules.choices import Format
from scorer.rules.sets import rule_set
from webapp.live.referee_process import RefereeTask
from webapp.sample_clips import DEMO_CLIP, list_clips
from webapp.services import Services


def begin_sample_match(services: Services, *, is_fast: bool = False) -> tuple[int, RefereeTask]:
    """Begin the clip's match; returns its number, and the referee's source."""
    clip = list_clips().get(DEMO_CLIP)
    if clip is None:
        raise Trouble(Phrase("The sample video is missing. Install crokinole-referee again."))
    setup = _read_match_setup(clip)
    number = services.scoreboard.begin(setup)
    services.scoreboard.append(number, RoundStarted())
    recorded = None if is_fast else clip.with_name(f"{clip.stem}_events.jsonl")
    rules = rule_set(setup.rules)
    task = RefereeTask(source=str(clip), rules=rules, realtime=not is_fast, recorded=recorded)
    return number, task


def _read_match_setup(clip: Path) -> MatchStarted:
    """The clip's match: the starter sits first, and both sides have as many discs as in the
    clip.
    """
    truth = json.loads(clip.with_suffix(".json").read_text(encoding="utf-8"))
    first = truth["first_player"]
    order = [first, *(colour for colour in truth["colours"] if colour != first)]
    colours = tuple(truth["colours"][colour] for colour in order)
    return MatchStarted(
        rules=truth["rules"],
        format=Format.TWO,
        players=tuple(colour.capitalize() for colour in colours),
        options=(("discs_singles", truth["discs_per_side"]),),
        colours=colours,
    )
