"""A photograph of a finished round: sent, checked, corrected, and kept as a round of a match.

Everybody may send and correct; keeping the round is the scorer's. What the browser says counts
only as far as a correction goes: points are counted here, from what was read.
"""

from __future__ import annotations

from typing import Any

from flask import (
    Blueprint,
    Response,
    abort,
    flash,
    redirect,
    render_template,
    request,
    send_from_directory,
    url_for,
)

from scorer.match.events import MatchError, RoundScored, ScoreSource
from scorer.match.fold import fold
from scorer.match.state import MatchState
from scorer.zones import TeamTotal
from webapp.auth import allow_anyone
from webapp.jobs.job_services import job_services
from webapp.jobs.referee_task import current_rules
from webapp.jobs.review_job import is_film
from webapp.jobs.snapshot_job import PHOTO, PLAN, SnapshotResult, preload
from webapp.jobs.snapshot_sessions import SnapshotSession
from webapp.jobs.worker import BusyError
from webapp.photo.corrections import (
    ZONES,
    CorrectedDisc,
    Correction,
    CorrectionError,
    DiscAddition,
    DiscRemoval,
    DiscRestoration,
    TeamCorrection,
    ZoneCorrection,
    apply_corrections,
    count_totals,
    describe_corrections,
    list_teams,
)
from webapp.photo.score import ScoreStatus
from webapp.presenters.snapshot_page import (
    build_close_up,
    build_photo_drawing,
    build_plan_drawing,
    build_rows,
)
from webapp.services import services
from webapp.views import Page
from webapp.views.form_errors import abort_gone, redirect_with_problem

BLUEPRINT = Blueprint("snapshot", __name__, url_prefix="/score")
PAGES = (Page(endpoint="snapshot.choose", name="Snapshot", order=20),)

#: A side's 20s beside the board: nobody has more discs.
_MAX_TWENTIES = 12


@BLUEPRINT.get("")
def choose() -> str:
    """The page where a photograph is taken or chosen; meanwhile the worker starts."""
    job_services().worker.warm_up(preload)
    return render_template(
        "snapshot.html", profiles=job_services().profiles.all(), most_mb=_max_upload_mb()
    )


def _max_upload_mb() -> int:
    return services().config.upload_bytes // 1024**2


@BLUEPRINT.post("")
@allow_anyone
def take() -> Any:
    """Take a photograph, or a film; to its page, or that page's address as JSON for a script."""
    sent = request.files.get("photo")
    content = sent.read() if sent else b""
    if sent is None or not content:
        return _refuse("Choose a photograph first.", 400)
    profile = job_services().profile(request.form.get("profile", ""))
    name = _clean_file_name(sent.filename)
    try:
        if is_film(content):
            rules = current_rules(services())
            review = job_services().reviews.take(content, name, rules, profile)
            address = url_for("review.show", key=review.key)
        else:
            snapshot = job_services().snapshots.take(content, name, profile)
            address = url_for("snapshot.show", key=snapshot.key)
    except BusyError as busy:
        return _refuse(str(busy), 503)
    return {"address": address} if _wants_json() else redirect(address, 303)


def _clean_file_name(name: str | None) -> str:
    """The file's name, short and printable."""
    plain = "".join(c for c in (name or "").replace("\\", "/").split("/")[-1] if c.isprintable())
    return plain[-80:] or "photograph"


def _wants_json() -> bool:
    """Whether a script asks, and not a form."""
    return bool(request.accept_mimetypes.best == "application/json")


def _refuse(sentence: str, code: int) -> Any:
    if _wants_json():
        return {"error": sentence}, code, ({"Retry-After": "30"} if code == 503 else {})
    return redirect_with_problem(sentence, url_for("snapshot.choose"))


@BLUEPRINT.get("/<key>")
def show(key: str) -> str:
    """The page of a photograph: its score, why there is none, or the wait for it."""
    snapshot = _get_session(key)
    if not snapshot.task.is_done:
        return render_template(
            "snapshot_waiting.html", snapshot=snapshot, words=_describe_progress(snapshot)
        )
    seen = snapshot.seen
    if seen is None or seen.score.status is not ScoreStatus.SCORED:
        reason = snapshot.task.problem or (seen.score.reason if seen else None)
        return render_template("snapshot_failed.html", snapshot=snapshot, seen=seen, reason=reason)
    discs = apply_corrections(seen.score, snapshot.corrections)
    return render_template(
        "snapshot_result.html",
        snapshot=snapshot,
        size=seen.size_px,
        drawing=build_photo_drawing(seen, discs),
        rows=build_rows(discs),
        totals=_build_totals(seen, discs),
        concerns=_open_concerns(seen, discs),
        advice=seen.score.advice,
        open_discs=_open_discs(snapshot, seen),
        corrections=describe_corrections(discs),
        **_build_save_form(seen),
    )


def _build_totals(seen: SnapshotResult, discs: tuple[CorrectedDisc, ...]) -> list[dict[str, Any]]:
    """A row for each team that is there."""
    teams, here = list_teams(seen.score), {disc.team.number for disc in discs}
    seen_teams = {team.number for team in (seen.score.reading.teams if seen.score.reading else ())}
    return [
        {
            "team": total.team,
            "colour": teams[total.team].colour_hex,
            "colour_name": teams[total.team].colour_name,
            "points": total.points,
            "twenties": total.twenties,
        }
        for total in count_totals(seen.score, discs)
        if total.team in here | seen_teams
    ]


def _open_concerns(seen: SnapshotResult, discs: tuple[CorrectedDisc, ...]) -> list[str]:
    """What a person should read; close calls only while somebody has not looked at them."""
    is_open = any(disc.is_open for disc in discs)
    return [each for each in seen.score.concerns if is_open or "close call" not in each]


def _build_save_form(seen: SnapshotResult) -> dict[str, Any]:
    """The match that a round could be kept in, and whose colours are known."""
    number = services().scoreboard.match_id()
    if number is None:
        return {"match": None}
    state = fold(services().store.log(number))
    teams = list_teams(seen.score)
    names = {team.colour_name: team.number for team in teams}
    colours = state.setup.colours or ("",) * len(state.setup.sides)
    guesses = [names.get(colour, side) for side, colour in enumerate(colours)]
    return {
        "match": number,
        "state": state,
        "teams": teams,
        "guesses": guesses,
        "most_twenties": _MAX_TWENTIES,
    }


@BLUEPRINT.get("/<key>/progress")
def progress(key: str) -> dict[str, Any]:
    """JSON: whether a photograph is read, and what is being done."""
    snapshot = job_services().snapshots.get(key)
    if snapshot is None:
        return {"is_done": True, "words": ""}  # the page then says that it is gone
    return {"is_done": snapshot.task.is_done, "words": _describe_progress(snapshot)}


def _describe_progress(snapshot: SnapshotSession) -> str:
    task = snapshot.task
    if task.is_started:
        return task.progress.capitalize() or "Getting ready"
    before = job_services().snapshots.waiting(snapshot)
    return f"{before} before it in the queue" if before else "Next in the queue"


@BLUEPRINT.get("/<key>/<any('photo.jpg', 'plan.jpg'):name>")
def picture(key: str, name: str) -> Response:
    """A photograph's picture or rectified image, JPEG."""
    snapshot = job_services().snapshots.get(key)
    if snapshot is None or name not in (PHOTO, PLAN) or not (snapshot.folder / name).is_file():
        abort(404)
    answer = send_from_directory(snapshot.folder, name, mimetype="image/jpeg")
    answer.headers["Cache-Control"] = "private, max-age=3600, immutable"
    return answer


@BLUEPRINT.get("/<key>/disc/<int:number>")
def disc(key: str, number: int) -> str:
    """The page with the close-up of a disc."""
    snapshot, seen = _get_scored(key)
    discs = {each.number: each for each in apply_corrections(seen.score, snapshot.corrections)}
    if number not in discs:
        abort(404)
    shown = discs[number]
    return render_template(
        "snapshot_disc.html",
        snapshot=snapshot,
        disc=build_rows([shown])[0],
        look=build_close_up(seen, shown) if shown.at_mm is not None else None,
        zones=build_close_up(seen, shown)["zones"],
        teams=[(team, team.colour_hex) for team in list_teams(seen.score)],
        places=sorted(discs),
    )


@BLUEPRINT.post("/<key>/disc/<int:number>")
@allow_anyone
def correct(key: str, number: int) -> Any:
    """Correct a disc; to the next close call, or back to the score."""
    snapshot, seen = _get_scored(key)
    what, value = request.form.get("what", ""), request.form.get("value", "")
    corrections: dict[str, Correction] = {
        "remove": DiscRemoval(disc=number),
        "restore": DiscRestoration(disc=number),
    }
    if value.isascii() and value.isdigit():
        corrections["zone"] = ZoneCorrection(disc=number, zone=int(value))
        corrections["team"] = TeamCorrection(disc=number, team=int(value))
    if what not in corrections:
        abort(400)
    was_open = number in _open_discs(snapshot, seen)
    answer = _apply_correction(snapshot, corrections[what])
    still_open = _open_discs(snapshot, seen)
    if was_open and number not in still_open and still_open:
        later = [each for each in still_open if each > number]
        onward = url_for("snapshot.disc", key=key, number=(later or still_open)[0])
        return redirect(onward, 303)
    return answer


def _open_discs(snapshot: SnapshotSession, seen: SnapshotResult) -> list[int]:
    """Numbers of the discs whose close call nobody has looked at."""
    discs = apply_corrections(seen.score, snapshot.corrections)
    return [each.number for each in discs if each.is_open]


@BLUEPRINT.get("/<key>/add")
def adding(key: str) -> str:
    """The page where a disc that was not seen is added."""
    snapshot, seen = _get_scored(key)
    return render_template(
        "snapshot_add.html",
        snapshot=snapshot,
        plan=build_plan_drawing(seen),
        teams=[(team, team.colour_hex) for team in list_teams(seen.score)],
        zones=ZONES,
    )


@BLUEPRINT.post("/<key>/add")
@allow_anyone
def add(key: str) -> Any:
    """Add a disc that was not seen."""
    snapshot, seen = _get_scored(key)
    team, zone = request.form.get("team", ""), request.form.get("zone", "")
    if not (team.isascii() and team.isdigit() and zone.isascii() and zone.isdigit()):
        abort(400)
    at_mm = _parse_pointed_place(seen)
    return _apply_correction(snapshot, DiscAddition(team=int(team), zone=int(zone), at_mm=at_mm))


def _parse_pointed_place(seen: SnapshotResult) -> tuple[float, float] | None:
    """The place on the board that was pointed at, in its frame; None when there was none."""
    try:
        place = (float(request.form["x_mm"]), float(request.form["y_mm"]))
    except (KeyError, ValueError):
        return None
    inside = all(abs(each) <= seen.plan_half_mm for each in place)
    return place if inside else None


def _apply_correction(snapshot: SnapshotSession, correction: Correction) -> Any:
    try:
        job_services().snapshots.correct(snapshot, correction)
    except CorrectionError as error:
        flash(str(error), "problem")
    return redirect(url_for("snapshot.show", key=snapshot.key), 303)


@BLUEPRINT.post("/<key>/undo")
@allow_anyone
def undo(key: str) -> Any:
    """Take back the last correction."""
    snapshot, _ = _get_scored(key)
    job_services().snapshots.undo(snapshot)
    return redirect(url_for("snapshot.show", key=key), 303)


@BLUEPRINT.post("/<key>/save")
def save(key: str) -> Any:
    """Keep the score as a round of the newest match."""
    snapshot, seen = _get_scored(key)
    address = url_for("snapshot.show", key=key)
    number = services().scoreboard.match_id()
    if snapshot.saved_as:
        flash(f"This photograph is kept already, as {snapshot.saved_as}.", "problem")
        return redirect(address, 303)
    if number is None or request.form.get("match") != str(number):
        flash("Another match has begun meanwhile; look again, then keep the round.", "problem")
        return redirect(address, 303)
    state = fold(services().store.log(number))
    try:
        event = _make_round(snapshot, seen, state)
        after = services().scoreboard.append(number, event)
    except MatchError as error:
        flash(str(error), "problem")
        return redirect(address, 303)
    snapshot.saved_as = f"round {len(after.rounds)} of match {number}"
    flash(f"Kept as {snapshot.saved_as}.", "done")
    return redirect(address, 303)


def _make_round(snapshot: SnapshotSession, seen: SnapshotResult, state: MatchState) -> RoundScored:
    """The round as it stands after corrections. Raises ``MatchError``."""
    sides = range(len(state.setup.sides))
    discs = apply_corrections(seen.score, snapshot.corrections)
    totals = {total.team: total for total in count_totals(seen.score, discs)}
    owners = [_parse_owner(side, len(totals)) for side in sides]
    aside = [_parse_number(f"twenties_{side}", _MAX_TWENTIES) for side in sides]
    known = [owner for owner in owners if owner is not None]
    if len(set(known)) != len(known):
        raise MatchError("Every side has a colour of its own; choose another for one of them.")
    if any(each.points for team, each in totals.items() if team not in known):
        raise MatchError("Discs of a colour that no side plays have points; put them right first.")
    nothing = TeamTotal(team=-1, points=0, twenties=0)
    own = [nothing if owner is None else totals[owner] for owner in owners]
    return RoundScored(
        points=tuple(each.points + 20 * more for each, more in zip(own, aside, strict=True)),
        twenties=tuple(each.twenties + more for each, more in zip(own, aside, strict=True)),
        source=ScoreSource.PHOTO,
        corrections=describe_corrections(discs),
    )


def _parse_owner(side: int, teams: int) -> int | None:
    """The team of a side's discs; None for a side without any on the board."""
    name = f"team_{side}"
    return None if request.form.get(name) == "none" else _parse_number(name, teams - 1)


def _parse_number(name: str, most: int) -> int:
    text = request.form.get(name, "")
    if not (text.isascii() and text.isdigit() and int(text) <= most):
        raise MatchError("Choose a colour and the 20s beside the board for every side.")
    return int(text)


def _get_session(key: str) -> SnapshotSession:
    snapshot = job_services().snapshots.get(key)
    if snapshot is None:
        abort_gone("This photograph", "Send it again.", url_for("snapshot.choose"))
    return snapshot


def _get_scored(key: str) -> tuple[SnapshotSession, SnapshotResult]:
    """A photograph whose discs can be corrected."""
    snapshot = _get_session(key)
    seen = snapshot.seen
    if seen is None or seen.score.status is not ScoreStatus.SCORED:
        abort(404)
    return snapshot, seen
