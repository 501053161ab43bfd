"""A match shot by shot: who was how likely to win, the biggest swings, and every shot's worth."""

from __future__ import annotations

from typing import Any

from flask import render_template, request

from scorer.match.fold import fold
from scorer.physics.skills import SkillName
from webapp.http.lanes import LaneName, answer_in
from webapp.jobs.play_jobs import read_skill
from webapp.pages.match.blueprint import BLUEPRINT, get_log
from webapp.services import services

#: Sizes of the graph, in its own units: its width, its height, and the room for its labels.
_WIDTH, _HEIGHT, _LEFT, _TOP = 336.0, 94.0, 46.0, 16.0


@BLUEPRINT.get("/match/<int:number>/analysis")
@answer_in(LaneName.LONG)
def show_analysis(number: int) -> str:
    """Both sides' chances over a match, for players of a skill."""
    from scorer.analysis.match_analysis import analyse_match  # loads NumPy
    from webapp.formats.analysis import list_kinds

    log = get_log(number)
    skill = _read_skill()
    analysis, setup = analyse_match(log, skill), fold(log).setup
    known = [shot for shot in analysis.shots if shot.change is not None]
    return render_template(
        "match/match_analysis.html",
        number=number,
        setup=setup,
        analysis=analysis,
        known=known,
        points=_draw(known),
        replays={shot.clip for shot in known if services().shots.get(shot.clip)},
        kinds=list_kinds(setup, analysis),
        skills=list(SkillName),
    )


def _read_skill() -> SkillName:
    """The skill that was asked for; a club player's where there is none of that name."""
    try:
        return read_skill(request.args.get("skill"))
    except ValueError:
        return SkillName.CLUB


def _draw(known: list[Any]) -> list[dict[str, Any]]:
    """The graph's points, one after every shot: the first side's chance, upwards."""
    step = (_WIDTH - _LEFT) / max(len(known), 1)
    return [
        {
            "x": round(_LEFT + step * (k + 1), 1),
            "y": round(_TOP + _HEIGHT * (1 - shot.after.chances.of_side(0)), 1),
            "shot": shot,
        }
        for k, shot in enumerate(known)
    ]
