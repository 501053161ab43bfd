"""The calibration wizard in a browser, and the saved profiles. Only the scorer calibrates."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from flask import (
    Blueprint,
    Response,
    abort,
    redirect,
    render_template,
    request,
    send_from_directory,
    url_for,
)
from flask.typing import ResponseReturnValue

from calibration.phrase import Phrase
from calibration.profile import ProfileError, format_profile
from calibration.wizard.measurements import build_profile
from calibration.wizard.sentences import SIZES_FROM_PICTURES, describe_profile
from calibration.wizard.steps import (
    Accept,
    Answer,
    Back,
    ClearDiscs,
    DragControlPoints,
    PickDisc,
    PickEveryColour,
    Step,
)
from scorer.match.events import MatchError
from webapp.auth import is_server_scorer, scorer_only
from webapp.http.or_404 import or_404
from webapp.jobs.calibration_job import PHOTO
from webapp.jobs.calibration_sessions import MAX_PICTURES, CalibrationSession
from webapp.jobs.job_services import job_services
from webapp.jobs.source_choice import CAMERAS, parse_source
from webapp.jobs.worker import BusyError
from webapp.pages import Page
from webapp.pages.calibrate.calibration_page import (
    DRAGGED_RADII_MM,
    build_drawing,
    build_figures,
    build_steps,
    stored_px,
)
from webapp.pages.files import attach, send_upload_file
from webapp.pages.form_errors import abort_gone, keep_typed, redirect_with_problem, show_note
from webapp.pages.waiting import describe_progress, report_progress
from webapp.sample_clips import list_clips
from webapp.services import board_at_hand, services

BLUEPRINT = Blueprint("calibrate", __name__, url_prefix="/calibrate")
PAGES = (Page(endpoint="calibrate.begin", name=Phrase("Calibrate"), order=60),)

#: A measurement is usually done after this time; the page then shows it at once.
_ANSWER_TIMEOUT_S = 3.0
#: Longest wait for the drawing of a profile, which waits behind other jobs.
_DRAWING_TIMEOUT_S = 90.0
_MAX_NAME_LETTERS = 60
#: The kind of source that stands for the referee's picture.
_REFEREE_KIND = "referee"


@BLUEPRINT.get("")
def begin() -> str:
    """The page where a calibration begins, with the saved profiles."""
    return render_template(
        "calibrate/calibrate.html",
        kept=[
            (profile, describe_profile(profile.profile))
            for profile in job_services().profiles.all()
        ],
        most_mb=services().config.upload_bytes // 1024**2,
        is_refereeing=board_at_hand().supervisor.is_running,
        cameras=range(CAMERAS),
        clips=list(list_clips()),
        may_delete=is_server_scorer(),
    )


@BLUEPRINT.post("")
def take() -> ResponseReturnValue:
    """Begin a calibration from uploaded pictures, or from a source."""
    pictures, source = _read_uploads(), None
    if not pictures and "kind" not in request.form:
        return redirect_with_problem(
            Phrase("First choose a photo of the board."), url_for("calibrate.begin")
        )
    if not pictures:
        is_referees = request.form["kind"] == _REFEREE_KIND
        try:
            source = None if is_referees else parse_source(request.form)
            if is_referees or _is_used_by_referee(source):
                pictures = _grab_referee_frame()
        except MatchError as error:
            typed = keep_typed(request.form, "kind", "url", "camera", "clip")
            return redirect_with_problem(str(error), url_for("calibrate.begin", **typed))
    try:
        session = job_services().calibrations.begin(pictures, None if pictures else source)
    except BusyError as busy:
        return redirect_with_problem(str(busy), url_for("calibrate.begin"))
    return _redirect_to_step(session)


def _is_used_by_referee(source: str | None) -> bool:
    """Whether the referee uses this source, so nobody else can."""
    runtime = board_at_hand().supervisor
    task = runtime.task
    return runtime.is_running and task is not None and task.source == source


def _grab_referee_frame() -> list[tuple[str, bytes]]:
    """The current picture of the referee's camera. Raises ``MatchError``."""
    png = board_at_hand().supervisor.still()
    if png is None:
        raise MatchError(
            Phrase(
                "The referee has no picture right now. Check its camera on the "
                "Referee page, or stop the referee and choose the camera again "
                "here."
            )
        )
    return [("referee.png", png)]


def _read_uploads() -> list[tuple[str, bytes]]:
    """The uploaded files: (name, content)."""
    sent = request.files.getlist("photo")[:MAX_PICTURES]
    read = [(storage.filename or "picture", storage.read()) for storage in sent]
    return [(name, content) for name, content in read if content]


def _redirect_to_step(session: CalibrationSession) -> ResponseReturnValue:
    session.worker.wait(session.task, _ANSWER_TIMEOUT_S)
    return redirect(url_for("calibrate.show", key=session.key), 303)


@BLUEPRINT.get("/<key>")
@scorer_only
def show(key: str) -> str:
    """The page of the current step of a calibration, or of the wait for it."""
    session = _get_session(key)
    if session.is_waiting:
        words = describe_progress(session)
        return render_template("calibrate/calibrate_waiting.html", held=session, words=words)
    state = session.state
    return render_template(
        "calibrate/calibrate_step.html",
        held=session,
        state=state,
        step=state.step.value,
        steps=build_steps(state),
        drawing=build_drawing(session.measured) if session.measured else None,
        figures=build_figures(state),
        radii=DRAGGED_RADII_MM,
        sizes_from_pictures=SIZES_FROM_PICTURES,
        most_pictures=MAX_PICTURES,
    )


@BLUEPRINT.get("/<key>/progress")
@scorer_only
def progress(key: str) -> dict[str, object]:
    """JSON: whether the step is finished, and its stage."""
    return report_progress(job_services().calibrations, key)


@BLUEPRINT.post("/<key>/cancel")
def cancel(key: str) -> ResponseReturnValue:
    """Cancel the job and go back to the step before, or to the beginning without one."""
    session = _get_session(key)
    job_services().calibrations.cancel(session)
    if session.measured is None:
        return redirect(url_for("calibrate.begin"), 303)
    return _redirect_to_step(session)


@BLUEPRINT.get("/<key>/photo.jpg")
@scorer_only
def photo(key: str) -> Response:
    """The measured picture, JPEG; 404 before there is one."""
    return send_upload_file(_get_session(key), PHOTO, "image/jpeg")


@BLUEPRINT.post("/<key>")
def answer(key: str) -> ResponseReturnValue:
    """Answer the current step, and go to the next."""
    session = _get_session(key)
    what = request.form.get("what", "")
    try:
        if what == "views":
            job_services().calibrations.add_views(session, _read_uploads())
        elif what == "speed":
            sent = _read_uploads()
            if sent:
                job_services().calibrations.measure_speed(session, sent[0])
        else:
            job_services().calibrations.answer(session, _parse_answer(session, what))
    except BusyError as busy:
        show_note(str(busy), "problem")
    except ValueError:
        show_note(Phrase("That step is already done. This is the current step."), "problem")
    return _redirect_to_step(session)


def _parse_answer(session: CalibrationSession, what: str) -> Answer:
    """The answer in a form; places are in pixels of the shown picture."""
    factor = session.measured.factor if session.measured else None
    if what == "drag" and factor:
        places = np.array([[_parse_pixel(f"x{k}"), _parse_pixel(f"y{k}")] for k in range(4)])
        return DragControlPoints(control_points_px=stored_px(places, factor))
    if what == "disc" and factor:
        x, y = stored_px(np.array([_parse_pixel("x"), _parse_pixel("y")]), factor)
        return PickDisc(at_px=(float(x), float(y)))
    plain: dict[str, Answer] = {
        "accept": Accept(),
        "back": Back(),
        "forget": ClearDiscs(),
        "clear": PickEveryColour(),
    }
    if what not in plain:
        abort(400)
    return plain[what]


def _parse_pixel(name: str) -> float:
    value = request.form.get(name, type=float)
    if value is None or not abs(value) < 1e5:
        abort(400)
    return value


@BLUEPRINT.post("/<key>/keep")
def keep(key: str) -> ResponseReturnValue:
    """Save the profile, and go to the list of profiles."""
    session = _get_session(key)
    here = url_for("calibrate.show", key=key, **keep_typed(request.form, "name"))
    if session.state.step is not Step.SAVE or session.saved_as:
        return redirect_with_problem(
            Phrase("This profile is already saved or is not ready yet."), here
        )
    name = "".join(c for c in request.form.get("name", "") if c.isprintable()).strip()
    made = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        drawn = job_services().calibrations.fit_picture(session, _DRAWING_TIMEOUT_S)
        if drawn is None:
            return redirect_with_problem(Phrase("The board could not be drawn. Try again."), here)
        profile = build_profile(
            session.state, name=name[:_MAX_NAME_LETTERS] or Phrase("Our board"), made=made
        )
        session.saved_as = job_services().profiles.keep(profile, drawn)
    except (BusyError, ProfileError) as error:
        return redirect_with_problem(str(error), here)
    show_note(
        Phrase(
            "Saved as %(name)s. Choose it as the board on the Photo or Referee page.",
            name=profile.origin.name,
        ),
        "done",
    )
    return redirect(url_for("calibrate.begin"), 303)


@BLUEPRINT.get("/profiles/<key>.json")
def profile_file(key: str) -> Response:
    """A saved profile as its JSON file."""
    kept = or_404(job_services().profiles.get(key))
    return attach(format_profile(kept.profile), "application/json", f"{kept.key}.json")


@BLUEPRINT.get("/profiles/<key>.jpg")
def profile_picture(key: str) -> Response:
    """A saved profile's picture, JPEG."""
    path = or_404(job_services().profiles.picture(key))
    return send_from_directory(path.parent.absolute(), path.name, mimetype="image/jpeg")


@BLUEPRINT.post("/profiles/<key>/drop")
def drop(key: str) -> ResponseReturnValue:
    """Delete a saved profile."""
    job_services().profiles.drop(key)
    return redirect(url_for("calibrate.begin"), 303)


def _get_session(key: str) -> CalibrationSession:
    session = job_services().calibrations.get(key)
    if session is None:
        abort_gone(
            Phrase("This calibration"),
            Phrase("Start again with the same photo."),
            url_for("calibrate.begin"),
        )
    return session
