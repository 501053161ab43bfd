"""Replays of shots and pictures of boards at rest, with permanent addresses and unchanging
content.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from flask import Blueprint, Response, abort, jsonify, request
from flask.typing import ResponseReturnValue

from scorer.match.events import Event
from scorer.match.fold import fold
from scorer.physics.skills import SkillName
from scorer.rules.sets import RuleSet
from webapp.auth import may_see_chances
from webapp.http.or_404 import or_404
from webapp.jobs.job_services import job_services
from webapp.jobs.photo_case import blur_around, pack_shot
from webapp.jobs.play_jobs import find_better_shot, list_shot_outcomes, read_skill
from webapp.jobs.referee_task import current_rules
from webapp.pages.files import attach, send_open_file
from webapp.pages.match.blueprint import get_log
from webapp.services import board_at_hand, services

BLUEPRINT = Blueprint("shots", __name__)

_FOREVER = {"Cache-Control": "private, max-age=86400, immutable"}


@BLUEPRINT.get("/shots/<key>.mp4")
def video(key: str) -> Response:
    """A shot's replay, MP4, whole or in ranges; 404 once it is no longer stored."""
    replay = or_404(services().shots.open_replay(key))
    return send_open_file(replay, "video/mp4", _FOREVER)


@BLUEPRINT.get("/shots/<key>/<int:number>.jpg")
def picture(key: str, number: int) -> Response:
    """One picture of a shot, JPEG; 404 once it is no longer stored."""
    return _jpeg(services().shots.picture(key, number))


@BLUEPRINT.get("/shots/<key>/report.zip")
def report(key: str) -> Response:
    """A shot for a bug report: its event and the board from above, with ``whole`` also its
    replay.
    """
    shots = services().shots
    shot, plan = or_404(shots.get(key)), shots.plan(key)
    facts = asdict(shot) | {"rules": str(current_rules(services(), board_at_hand()).name)}
    board = None if plan is None else blur_around(plan.jpeg)
    replay = shots.replay(key) if "whole" in request.args else None
    packed = pack_shot(facts, {"board.jpg": board, "replay.mp4": replay})
    return attach(packed, "application/zip", f"crokinole-shot-{key}.zip")


@BLUEPRINT.get("/shots/<key>/outcomes")
def outcomes(key: str) -> ResponseReturnValue:
    """JSON: other outcomes of a shot, for a player of that ``skill``."""
    shot = or_404(services().shots.get(key))
    try:
        skill = read_skill(request.args.get("skill"))
    except ValueError as error:
        return jsonify({"error": str(error)}), 400
    rules = current_rules(services(), board_at_hand())
    asked = ("shot", key) if skill is SkillName.CLUB else ("shot", key, skill)
    task = job_services().plays.ask(asked, list_shot_outcomes, shot.event, rules, skill)
    if task is None or not task.is_done:
        return jsonify({"status": "waiting", "outcomes": []})
    return jsonify({"status": "done", "outcomes": task.result or []})


@BLUEPRINT.get("/shots/<key>/better")
def better(key: str) -> ResponseReturnValue:
    """JSON: whether another shot was clearly better, for a club player; until a tournament's match
    is over, 404 for all but the organiser.
    """
    shot = or_404(services().shots.get(key))
    log = () if shot.match is None else get_log(shot.match)
    if log and not may_see_chances(fold(log)):
        abort(404)
    task = job_services().plays.ask(("better", key), find_better_shot, shot.event, *_find(log, key))
    if task is None or not task.is_done:
        return jsonify({"status": "waiting"})
    before = [asdict(disc) for disc in shot.event.before if disc.id != shot.event.disc]
    return jsonify(
        {"status": "done", "discs": before, "team": shot.event.team} | (task.result or {})
    )


def _find(log: Sequence[Event], key: str) -> tuple[tuple[tuple[int, int], float] | None, RuleSet]:
    """The remaining shots at that time, and the rules: the match's, otherwise those of the current
    board.
    """
    from scorer.analysis.match_analysis import find_round_ahead  # importing it loads NumPy

    if not log:
        return None, current_rules(services(), board_at_hand())
    return find_round_ahead(log, key), fold(log).setup.rules


@BLUEPRINT.get("/plans/<key>.jpg")
def plan(key: str) -> Response:
    """The rectified image of a board at rest, JPEG."""
    held = services().shots.plan(key)
    return _jpeg(None if held is None else held.jpeg)


def _jpeg(content: bytes | None) -> Response:
    return Response(or_404(content), content_type="image/jpeg", headers=_FOREVER)
