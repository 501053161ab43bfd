"""The calibration wizard in a browser, and the profiles that were kept. The scorer calibrates."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
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

from calibration.profile import ProfileError, format_profile
from calibration.wizard import (
    Accept,
    Answer,
    Back,
    Drag,
    ForgetDiscs,
    PickDisc,
    Step,
    profile_of,
)
from scorer.match_events import MatchError
from webapp.access import scorer_only
from webapp.calibration_job import PHOTO
from webapp.calibration_view import (
    DRAGGED_RADII_MM,
    drawing,
    figures,
    steps,
    stored_px,
)
from webapp.calibration_words import about_profile
from webapp.calibrations import MOST_PICTURES, Calibration
from webapp.clip_files import clips
from webapp.desk import desk
from webapp.pages import back_with, gone
from webapp.services import services
from webapp.sources import CAMERAS, source_from
from webapp.views import Page
from webapp.worker import BusyError

BLUEPRINT = Blueprint("calibrate", __name__, url_prefix="/calibrate")
PAGES = (Page(endpoint="calibrate.begin", name="Calibrate", order=60),)

#: A measurement is mostly ready after this; then the page comes at once.
_PATIENCE_S = 3.0
#: Drawing the picture of a profile waits behind what others sent.
_DRAWING_S = 90.0
_LONGEST_NAME = 60
#: The kind of source that is what the referee sees.
_REFEREES = "referee"


@BLUEPRINT.get("")
def begin() -> str:
    """Where a calibration begins, and the kept profiles."""
    return render_template(
        "calibrate.html",
        kept=[(each, about_profile(each.profile)) for each in desk().profiles.all()],
        most_mb=services().config.upload_bytes // 1024**2,
        is_refereeing=services().runtime.is_running,
        cameras=range(CAMERAS),
        clips=sorted(clips()),
    )


@BLUEPRINT.post("")
def take() -> Any:
    """The first pictures come in, or a source is named that gives one."""
    pictures, source = _pictures(), None
    if not pictures and "kind" not in request.form:
        return back_with("Choose a photograph of the board first.", url_for("calibrate.begin"))
    if not pictures:
        is_referees = request.form["kind"] == _REFEREES
        source = None if is_referees else source_from(request.form)
        if is_referees or _is_held(source):
            pictures = _seen_by_the_referee()
    try:
        made = desk().calibrations.begin(pictures, None if pictures else source)
    except BusyError as busy:
        return back_with(str(busy), url_for("calibrate.begin"))
    return _onward(made)


def _is_held(source: str | None) -> bool:
    """Whether the referee uses this source, so that nobody else can."""
    runtime = services().runtime
    task = runtime.task
    return runtime.is_running and task is not None and task.source == source


def _seen_by_the_referee() -> list[tuple[str, bytes]]:
    """The picture that the referee's camera sends now. Raises ``MatchError``."""
    png = services().runtime.still()
    if png is None:
        raise MatchError(
            "The referee has no picture to give now; look at the page Referee whether its camera"
            " sends any, or stop it there and choose the camera here again."
        )
    return [("referee.png", png)]


def _pictures() -> list[tuple[str, bytes]]:
    """The files that were sent: (name, content)."""
    sent = request.files.getlist("photo")[:MOST_PICTURES]
    read = [(each.filename or "picture", each.read()) for each in sent]
    return [(name, content) for name, content in read if content]


def _onward(of: Calibration) -> Any:
    desk().calibrations.wait(of, _PATIENCE_S)
    return redirect(url_for("calibrate.show", key=of.key), 303)


@BLUEPRINT.get("/<key>")
@scorer_only
def show(key: str) -> str:
    """The step at which a calibration stands."""
    held = _calibration(key)
    if held.task is not None:
        return render_template("calibrate_waiting.html", held=held, words=_progress(held))
    state = held.state
    return render_template(
        "calibrate_step.html",
        held=held,
        state=state,
        step=state.step.value,
        steps=steps(state),
        drawing=drawing(held.measured) if held.measured else None,
        figures=figures(state),
        radii=DRAGGED_RADII_MM,
        most_pictures=MOST_PICTURES,
    )


@BLUEPRINT.get("/<key>/progress")
@scorer_only
def progress(key: str) -> dict[str, Any]:
    """Whether it is worked out, and what is done."""
    held = desk().calibrations.get(key)
    if held is None:
        return {"is_done": True, "words": ""}  # the page then says that it is gone
    return {"is_done": held.task is None, "words": _progress(held)}


def _progress(held: Calibration) -> str:
    before = desk().calibrations.waiting(held)
    if before:
        return f"{before} before it in the queue"
    return held.task.progress.capitalize() if held.task and held.task.progress else "Getting ready"


@BLUEPRINT.get("/<key>/photo.jpg")
@scorer_only
def photo(key: str) -> Response:
    """The picture that is looked at."""
    held = _calibration(key)
    if not (held.folder / PHOTO).is_file():
        abort(404)
    answer = send_from_directory(held.folder, PHOTO, mimetype="image/jpeg")
    answer.headers["Cache-Control"] = "private, max-age=3600"
    return answer


@BLUEPRINT.post("/<key>")
def answer(key: str) -> Any:
    """An answer to the step at hand."""
    held = _calibration(key)
    what = request.form.get("what", "")
    try:
        if what == "views":
            desk().calibrations.add_views(held, _pictures())
        elif what == "speed":
            sent = _pictures()
            if sent:
                desk().calibrations.measure_speed(held, sent[0])
        elif what == "clear":
            desk().calibrations.measure_clear_discs(held)
        else:
            desk().calibrations.answer(held, _answer(held, what))
    except BusyError as busy:
        flash(str(busy), "problem")
    except ValueError:
        flash("That step is over already; here is the one at hand.", "problem")
    return _onward(held)


def _answer(held: Calibration, what: str) -> Answer:
    """The answer that a form gives; places are in pixels of the shown picture."""
    factor = held.measured.factor if held.measured else None
    if what == "drag" and factor:
        places = np.array([[_place(f"x{k}"), _place(f"y{k}")] for k in range(4)])
        return Drag(handles_px=stored_px(places, factor))
    if what == "disc" and factor:
        x, y = stored_px(np.array([_place("x"), _place("y")]), factor)
        return PickDisc(at_px=(float(x), float(y)))
    plain: dict[str, Answer] = {"accept": Accept(), "back": Back(), "forget": ForgetDiscs()}
    if what not in plain:
        abort(400)
    return plain[what]


def _place(name: str) -> float:
    try:
        value = float(request.form.get(name, ""))
    except ValueError:
        abort(400)
    if not abs(value) < 1e5:
        abort(400)
    return value


@BLUEPRINT.post("/<key>/keep")
def keep(key: str) -> Any:
    """The profile is kept."""
    held = _calibration(key)
    here = url_for("calibrate.show", key=key)
    if held.state.step is not Step.SAVE or held.saved_as:
        return back_with("This profile is kept already, or not ready yet.", here)
    name = "".join(c for c in request.form.get("name", "") if c.isprintable()).strip()
    made = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        drawn = desk().calibrations.fit_picture(held, _DRAWING_S)
        if drawn is None:
            return back_with("Its picture could not be drawn; try again.", here)
        profile = profile_of(held.state, name=name[:_LONGEST_NAME] or "Our board", made=made)
        held.saved_as = desk().profiles.keep(profile, drawn)
    except (BusyError, ProfileError) as error:
        return back_with(str(error), here)
    flash(f"Kept as {profile.origin.name}.", "done")
    return redirect(url_for("calibrate.begin"), 303)


@BLUEPRINT.get("/profiles/<key>.json")
def profile_file(key: str) -> Response:
    """A kept profile as its file."""
    kept = desk().profiles.get(key)
    if kept is None:
        abort(404)
    answer = Response(format_profile(kept.profile), mimetype="application/json")
    answer.headers["Content-Disposition"] = f'attachment; filename="{kept.key}.json"'
    return answer


@BLUEPRINT.get("/profiles/<key>.jpg")
def profile_picture(key: str) -> Response:
    """A kept profile's picture."""
    path = desk().profiles.picture(key)
    if path is None:
        abort(404)
    return send_from_directory(path.parent.absolute(), path.name, mimetype="image/jpeg")


@BLUEPRINT.post("/profiles/<key>/drop")
def drop(key: str) -> Any:
    """A kept profile is deleted."""
    desk().profiles.drop(key)
    return redirect(url_for("calibrate.begin"), 303)


def _calibration(key: str) -> Calibration:
    held = desk().calibrations.get(key)
    if held is None:
        gone("This calibration", "Begin again with its picture.", url_for("calibrate.begin"))
    return held
