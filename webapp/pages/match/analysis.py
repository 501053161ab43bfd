"""A match shot by shot: each side's chances, the biggest swings, and the value of every shot."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from flask import jsonify, render_template, request
from flask.typing import ResponseReturnValue

from scorer.match.fold import fold
from scorer.physics.skills import SkillName
from scorer.store import Store
from webapp.auth import may_see_chances
from webapp.formats.analysis import OutlookRow, describe_outlook, list_kinds
from webapp.http.lanes import LaneName, answer_in
from webapp.jobs.play_jobs import read_skill
from webapp.pages.match.blueprint import BLUEPRINT, get_log
from webapp.services import services

if TYPE_CHECKING:  # importing it loads NumPy
    from scorer.analysis.match_analysis import AnalysedShot

#: Sizes of the graph, in its own units: its width, its height, and the room for its labels.
_WIDTH, _HEIGHT, _LEFT, _TOP = 336.0, 94.0, 46.0, 16.0


@BLUEPRINT.get("/match/<int:number>/analysis")
@answer_in(LaneName.LONG)
def show_analysis(number: int) -> str:
    """Both sides' chances over a match, for players of a skill."""
    from scorer.analysis.match_analysis import analyse_match  # importing it loads NumPy

    log = get_log(number)
    state = fold(log)
    is_withheld = not may_see_chances(state)
    analysis = analyse_match(log[:1] if is_withheld else log, _read_skill())
    known = [shot for shot in analysis.shots if shot.change is not None]
    return render_template(
        "match/match_analysis.html",
        number=number,
        setup=state.setup,
        is_withheld=is_withheld,
        analysis=analysis,
        known=known,
        points=_draw(known),
        replays={shot.clip for shot in known if services().shots.get(shot.clip)},
        kinds=list_kinds(state.setup, analysis),
        skills=list(SkillName),
    )


@BLUEPRINT.get("/match/<int:number>/chances")
def show_chances(number: int) -> ResponseReturnValue:
    """JSON: both sides' chances now, for screens that show them; null if the viewer may not see
    them.
    """
    log = get_log(number)
    if not may_see_chances(fold(log)):
        return jsonify({"now": None})
    return jsonify({"now": _find_now(services().store, number, len(log))})


@lru_cache(maxsize=64)
def _find_now(store: Store, number: int, count: int) -> OutlookRow | None:
    """The chances after the given number of events, which every screen requests."""
    from scorer.analysis.match_analysis import find_outlook  # importing it loads NumPy

    return describe_outlook(find_outlook(store.log(number)[:count]))


def _read_skill() -> SkillName:
    """The requested skill; a club player's for an unknown name."""
    try:
        return read_skill(request.args.get("skill"))
    except ValueError:
        return SkillName.CLUB


def _draw(known: list[AnalysedShot]) -> list[dict[str, object]]:
    """The graph's points, one after every shot: the first side's chance, upwards."""
    step = (_WIDTH - _LEFT) / max(len(known), 1)
    return [
        {
            "x": round(_LEFT + step * (k + 1), 1),
            "y": round(_TOP + _HEIGHT * (1 - chances.of_side(0)), 1),
            "shot": shot,
        }
        for k, shot in enumerate(known)
        if shot.after and (chances := shot.after.chances)
    ]
