"""A review as JSON (``webapp.formats.review``), and as sentences for a person."""

from __future__ import annotations

from collections.abc import Iterator

from calibration.json_text import to_plain
from scorer.referee.event_sentences import describe_event
from scorer.referee.events import to_json
from scorer.referee.make_events import describe_physics
from scorer.referee.review.nearest_moment import NearestMoment, describe_nearest
from scorer.referee.review.review_film import FilmReview

#: Decimals of lengths, of times and of shares.
_MM_PLACES, _S_PLACES = 2, 3


def review_json(review: FilmReview, video: str | None) -> dict[str, object]:
    """The review as JSON; ``video`` is the name of the written film. Raises ``FormError``."""
    from webapp.formats.form import check_form
    from webapp.formats.review import ReviewForm

    shot = review.shot
    status = "no_board" if review.registered is None else "reviewed" if shot else "no_shot"
    made = {
        "film": review.name,
        "status": status,
        "reason": review.reason or None,
        "registration": _registration_json(review),
        "shots": review.shots,
        "shot": to_json(shot.event) if shot else None,
        "nearest": nearest_json(shot.nearest) if shot and shot.nearest else None,
        "physics": to_plain(describe_physics(shot.finding)) if shot and shot.finding else None,
        "video": video,
        "notes": list_notes(review),
    }
    check_form(ReviewForm, made)
    return made


def list_notes(review: FilmReview) -> list[str]:
    """Parts of the film that were hard to see, and the place where it breaks off."""
    return [*review.trouble, *filter(None, [review.broken_off])]


def _registration_json(review: FilmReview) -> dict[str, object] | None:
    registered = review.registered
    if registered is None:
        return None
    return {
        "frames": len(registered.poses),
        "registered_share": round(registered.registered_share, 4),
        "camera_px_s": round(registered.speed_px_s, 1),
        "residual_mm": round(registered.residual_mm, 3),
        "sigma_mm": round(registered.sigma_mm, 3),
    }


def nearest_json(nearest: NearestMoment) -> dict[str, object]:
    """The closest moment, rounded."""
    x_mm, y_mm = (float(value) for value in nearest.places_mm.mean(axis=0))
    return {
        "kind": nearest.kind.value,
        "t_s": round(nearest.t_s, _S_PLACES),
        "disc": nearest.mover,
        "other": nearest.other or None,
        "gap_mm": round(nearest.gap_mm, _MM_PLACES),
        "sigma_mm": round(nearest.sigma_mm, _MM_PLACES),
        "x_mm": round(x_mm, _MM_PLACES),
        "y_mm": round(y_mm, _MM_PLACES),
    }


def describe_review(review: FilmReview) -> Iterator[str]:
    """The review for the terminal, in lines; none if no shot was seen."""
    if review.shot is None:
        return
    yield from describe_event(review.shot.event)
    if review.shot.nearest is not None:
        nearest = review.shot.nearest
        yield f"  Closest moment, {nearest.t_s:.2f} s: {describe_nearest(nearest)}."
    finding = review.shot.finding
    if finding is not None and finding.p_contact is not None:
        yield (
            f"  Physics: an opponent's disc was touched with probability {finding.p_contact:.0%}; "
            f"{finding.misfit_mm:.1f} mm unexplained."
        )
    if review.shots > 1:
        yield f"  The video shows {review.shots} shots. This is the last one."
    registered = review.registered
    if registered is not None:
        yield (
            f"  {registered.registered_share:.0%} of {len(registered.poses)} frames aligned to "
            f"within {registered.sigma_mm:.2f} mm while the board moved "
            f"{registered.speed_px_s:.0f} px per second."
        )
