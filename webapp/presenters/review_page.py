"""A film's review as its page shows it: sentences from its JSON (``webapp.formats.review``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_VERDICTS = {
    "legal": "The shot is legal",
    "foul": "The shot is a foul",
    "needs_review": "A person must decide",
}


def build_review(review: dict[str, Any]) -> dict[str, Any]:
    """The verdict or why there is none, the rules that were broken, and the rest in sentences."""
    shot, reason = review["shot"], review["reason"] or ""
    return {
        "verdict": _VERDICTS[shot["verdict"]] if shot else "No verdict",
        "reason": reason[:1].upper() + reason[1:],
        "rules": [
            {"words": each["code"].replace("_", " "), "rule": each["rule"]}
            for each in (shot["faults"] if shot else ())
        ],
        "question": shot["question"] if shot else None,
        "remove": ", ".join(each["id"] for each in shot["remove"]) if shot else "",
        "nearest": _describe_nearest(review["nearest"]) if review["nearest"] else None,
        "facts": [*_describe_facts(review)],
    }


def _describe_nearest(nearest: dict[str, Any]) -> str:
    disc, other, at = nearest["disc"], nearest["other"], f"{nearest['t_s']:.2f} s"
    gap = f"{abs(nearest['gap_mm']):.1f} ± {nearest['sigma_mm']:.1f} mm"
    if nearest["kind"] == "touch":
        return f"At {at} {disc} touches {other}."
    if nearest["kind"] == "gap":
        return f"At {at} {disc} passes {other}: a gap of {gap} (one standard deviation)."
    side = "short of" if nearest["gap_mm"] > 0 else "over"
    return f"At the end {disc} lies {gap} {side} the 15-line (one standard deviation)."


def _describe_facts(review: dict[str, Any]) -> Iterator[str]:
    physics, registration = review["physics"], review["registration"]
    if physics is not None and physics["p_contact"] is not None:
        yield (
            f"Physics of the whole motion: an opponent's disc was touched with probability "
            f"{physics['p_contact']:.0%}."
        )
    if review["shots"] > 1:
        yield f"The film shows {review['shots']} shots; this is the last."
    if registration is not None:
        yield (
            f"{registration['registered_share']:.0%} of {registration['frames']} frames were "
            f"registered to the board, to {registration['sigma_mm']:.2f} mm, while it moved "
            f"{registration['camera_px_s']:.0f} pixels a second."
        )
    yield from review["notes"]
