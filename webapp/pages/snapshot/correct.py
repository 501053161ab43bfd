"""Discs of a photo are enlarged, corrected, and added."""

from __future__ import annotations

from collections.abc import Mapping

from flask import abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from scorer.match.events import MatchError
from scorer.photo.corrections import (
    ZONES,
    Correction,
    CorrectionError,
    DiscAddition,
    DiscRemoval,
    DiscRestoration,
    TeamCorrection,
    ZoneCorrection,
    apply_corrections,
    list_teams,
)
from scorer.photo.placed_by_hand import propose_zone
from webapp.auth import allow_anyone
from webapp.http.parse_number import read_whole_number
from webapp.jobs.job_services import job_services
from webapp.jobs.snapshot_job import SnapshotResult
from webapp.jobs.snapshot_sessions import SnapshotSession
from webapp.pages.form_errors import show_note
from webapp.pages.snapshot.blueprint import BLUEPRINT, get_scored
from webapp.pages.snapshot.keep import correct_kept_round
from webapp.pages.snapshot.snapshot_page import build_close_up, build_plan_drawing, build_row


@BLUEPRINT.get("/<key>/disc/<int:number>")
def disc(key: str, number: int) -> str:
    """The page with the close-up of a disc."""
    snapshot, seen = get_scored(key)
    discs = {
        correction.number: correction
        for correction in apply_corrections(seen.score, snapshot.corrections)
    }
    if number not in discs:
        abort(404)
    shown = discs[number]
    return render_template(
        "snapshot/snapshot_disc.html",
        snapshot=snapshot,
        disc=build_row(seen, shown),
        look=build_close_up(seen, shown) if shown.at_mm is not None else None,
        zones=build_close_up(seen, shown)["zones"],
        teams=[(team, team.colour_hex) for team in list_teams(seen.score)],
        places=sorted(discs),
        open_discs=list_open_discs(snapshot, seen),
    )


@BLUEPRINT.post("/<key>/disc/<int:number>")
@allow_anyone
def correct(key: str, number: int) -> ResponseReturnValue:
    """Correct a disc; then show the next close call, or the score."""
    snapshot, seen = get_scored(key)
    what, value = request.form.get("what", ""), request.form.get("value", "")
    corrections: dict[str, Correction] = {
        "remove": DiscRemoval(disc=number),
        "restore": DiscRestoration(disc=number),
    }
    typed = read_whole_number(value)
    if typed is not None:
        corrections["zone"] = ZoneCorrection(disc=number, zone=typed)
        corrections["team"] = TeamCorrection(disc=number, team=typed)
    if what not in corrections:
        abort(400)
    was_open = number in list_open_discs(snapshot, seen)
    answer = _change(snapshot, corrections[what])
    still_open = list_open_discs(snapshot, seen)
    if was_open and number not in still_open and still_open:
        return redirect(url_for("snapshot.disc", key=key, number=still_open[0]), 303)
    return answer


def list_open_discs(snapshot: SnapshotSession, seen: SnapshotResult) -> list[int]:
    """Numbers of the discs with a close call that nobody has checked, those with the largest effect
    on the total first.
    """
    asked = [question.disc + 1 for question in seen.score.questions if question.disc is not None]
    rank = {number: place for place, number in reversed(list(enumerate(asked)))}
    discs = apply_corrections(seen.score, snapshot.corrections)
    still_open = [disc.number for disc in discs if disc.is_open]
    return sorted(still_open, key=lambda number: rank.get(number, len(rank)))


@BLUEPRINT.get("/<key>/add")
def adding(key: str) -> str:
    """The page for adding an unseen disc."""
    snapshot, seen = get_scored(key)
    return render_template(
        "snapshot/snapshot_add.html",
        snapshot=snapshot,
        plan=build_plan_drawing(seen),
        teams=[(team, team.colour_hex) for team in list_teams(seen.score)],
        zones=ZONES,
    )


@BLUEPRINT.get("/<key>/zone")
def zone(key: str) -> dict[str, object]:
    """JSON: the value of a disc at a place of the board, by its lines, and its certainty."""
    _, seen = get_scored(key)
    at_mm = _parse_pointed_place(seen, request.args)
    if at_mm is None:
        abort(400)
    proposal = propose_zone(seen.score, at_mm)
    return {"zone": proposal.zone, "other": proposal.other}


@BLUEPRINT.post("/<key>/add")
@allow_anyone
def add(key: str) -> ResponseReturnValue:
    """Add a disc that was not seen; its value comes from its place or from a person."""
    snapshot, seen = get_scored(key)
    team, worth = (read_whole_number(request.form.get(name)) for name in ("team", "zone"))
    if team is None or worth is None:
        abort(400)
    at_mm = _parse_pointed_place(seen, request.form)
    return _change(snapshot, DiscAddition(team=team, zone=worth, at_mm=at_mm))


def _parse_pointed_place(
    seen: SnapshotResult, given: Mapping[str, str]
) -> tuple[float, float] | None:
    """The place on the board that was pointed at, in its frame; None if there was none."""
    try:
        place = (float(given["x_mm"]), float(given["y_mm"]))
    except (KeyError, ValueError):
        return None
    inside = all(abs(coordinate) <= seen.plan_half_mm for coordinate in place)
    return place if inside else None


@BLUEPRINT.post("/<key>/undo")
@allow_anyone
def undo(key: str) -> ResponseReturnValue:
    """Undo the last correction."""
    snapshot, _ = get_scored(key)
    return _change(snapshot, None)


def _change(snapshot: SnapshotSession, correction: Correction | None) -> ResponseReturnValue:
    """Apply a correction, or undo the last one for None; in the match too, if the round is saved
    there.
    """
    with snapshot.lock:
        before = snapshot.corrections
        try:
            if correction is None:
                job_services().snapshots.undo(snapshot)
            else:
                job_services().snapshots.correct(snapshot, correction)
            words = correct_kept_round(snapshot)
        except (CorrectionError, MatchError) as error:
            snapshot.corrections = before
            show_note(str(error), "problem")
        except BaseException:
            snapshot.corrections = before
            raise
        else:
            if words:
                show_note(words, "done")
    return redirect(url_for("snapshot.show", key=snapshot.key), 303)
