"""The page of a photo: its score, why there is none, or the wait for it."""

from __future__ import annotations

from flask import render_template

from scorer.photo.corrections import (
    CorrectedDisc,
    apply_corrections,
    count_totals,
    describe_corrections,
    list_teams,
)
from scorer.photo.questions import describe_questions
from scorer.photo.score import ScoreStatus
from webapp.jobs.job_services import job_services
from webapp.jobs.snapshot_job import SnapshotResult
from webapp.pages.snapshot.blueprint import BLUEPRINT, get_session
from webapp.pages.snapshot.correct import list_open_discs
from webapp.pages.snapshot.keep import build_save_form
from webapp.pages.snapshot.snapshot_page import (
    build_first_look,
    build_photo_drawing,
    build_row,
    list_open_questions,
)
from webapp.pages.waiting import describe_progress


@BLUEPRINT.get("/<key>")
def show(key: str) -> str:
    """The page of a photo: its score, why there is none, or the wait for it."""
    snapshot = get_session(key)
    if not snapshot.task.is_done:
        return render_template(
            "snapshot/snapshot_waiting.html",
            snapshot=snapshot,
            words=describe_progress(snapshot),
        )
    seen = snapshot.seen
    if seen is None or seen.score.status is not ScoreStatus.SCORED:
        reason = snapshot.task.problem or (seen.score.reason if seen else None)
        return render_template(
            "snapshot/snapshot_failed.html", snapshot=snapshot, seen=seen, reason=reason
        )
    discs = apply_corrections(seen.score, snapshot.corrections)
    open_discs = list_open_discs(snapshot, seen)
    questions = list_open_questions(seen, open_discs)
    totals = _build_totals(seen, discs)
    return render_template(
        "snapshot/snapshot_result.html",
        snapshot=snapshot,
        size=seen.size_px,
        drawing=build_photo_drawing(seen, discs),
        rows=[build_row(seen, disc) for disc in discs],
        totals=totals,
        players={f"colour{side}": total["colour_name"] for side, total in enumerate(totals[:2])},
        advice=seen.score.advice,
        concerns=describe_questions(questions),
        first_look=build_first_look(seen, questions),
        open_discs=open_discs,
        corrections=describe_corrections(discs),
        asks_consent=job_services().cases.settings.is_kept is None,
        **build_save_form(snapshot, seen),
    )


def _build_totals(
    seen: SnapshotResult, discs: tuple[CorrectedDisc, ...]
) -> list[dict[str, object]]:
    """A row per team in the picture."""
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
