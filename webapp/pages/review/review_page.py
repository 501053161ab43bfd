"""A film's review for its page: sentences from its JSON (``webapp.formats.review``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scorer.clock_hour import find_clock_hour
from scorer.referee.events import ShotEvent, from_json
from webapp.language.page_words import upper_first
from webapp.live.ruling_messages import describe_removal

#: The review, or a part of it, as JSON.
_Review = Mapping[str, Any]
#: A gap within this many sigmas of zero is too close to call, like a margin (``scorer.zones``).
_CLOSE_SIGMAS = 3.0
_VERDICTS = {
    "legal": "The shot is legal",
    "foul": "The shot is a foul",
    "needs_review": "Needs a decision",
}


def build_review(review: _Review) -> dict[str, object]:
    """The verdict or why there is none, the rules that were broken, and the rest in sentences."""
    shot, reason = review["shot"], review["reason"] or ""
    return {
        "verdict": _VERDICTS[shot["verdict"]] if shot else "No decision",
        "reason": upper_first(reason),
        "rules": [
            {"words": fault["code"].replace("_", " "), "rule": fault["rule"]}
            for fault in (shot["faults"] if shot else ())
        ],
        "question": shot["question"] if shot else None,
        "removal": _describe_removal(shot) if shot else "",
        "nearest": _describe_nearest(review["nearest"]) if review["nearest"] else None,
        "notes": [*_describe_notes(review)],
        "figures": [*_describe_figures(review)],
    }


def describe_first_look(verdict: str) -> str:
    """A shot before its review is done."""
    words = _VERDICTS[verdict]
    return f"First look: {words}. The full review may change this."


def _describe_removal(shot: Mapping[str, object]) -> str:
    """The discs to remove, in players' words; "" for none."""
    event = from_json(shot)
    assert isinstance(event, ShotEvent)
    colours = {team.team: team.colour_name for team in event.teams}
    return describe_removal(event.remove, event.after, colours)


def _describe_nearest(nearest: _Review) -> str:
    """The closest moment in players' words; its figures are among the others.

    The film shows no numbers of discs, so they are named by colour and clock hour.
    """
    disc = upper_first(_name_colour(nearest["disc"]))
    colour = _name_colour(nearest["other"] or "")
    hour = find_clock_hour(nearest["x_mm"], nearest["y_mm"])
    other = f"{colour} at {hour} o'clock"
    gap_mm, is_close = (
        nearest["gap_mm"],
        abs(nearest["gap_mm"]) < _CLOSE_SIGMAS * nearest["sigma_mm"],
    )
    if nearest["kind"] == "touch":
        return f"{disc} touches {other}."
    if nearest["kind"] == "gap":
        close = f"{disc} passes too close to {other} to call. Watch the video together."
        return close if is_close else f"{disc} passes {other} with a gap of {gap_mm:.1f} mm."
    if is_close:
        return f"{disc} ends too close to the 15 line to call. Check it together."
    side = "short of" if gap_mm > 0 else "over"
    return f"{disc} ends {abs(gap_mm):.1f} mm {side} the 15 line."


def _name_colour(disc: str) -> str:
    """The colour in a disc's name, which ends with its number: "light brown 3"."""
    return disc.rstrip("0123456789").rstrip()


def _describe_notes(review: _Review) -> Iterator[str]:
    if review["shots"] > 1:
        yield f"The video shows {review['shots']} shots. This is the last one."
    yield from review["notes"]


def _describe_figures(review: _Review) -> Iterator[str]:
    """The figures behind the verdict, for readers who want to check it."""
    nearest = review["nearest"]
    if nearest is not None:
        yield (
            f"Closest approach: {nearest['t_s']:.2f} s into the video, gap "
            f"{nearest['gap_mm']:+.2f} ± {nearest['sigma_mm']:.2f} mm (one standard "
            "deviation)."
        )
    physics, registration = review["physics"], review["registration"]
    if physics is not None and physics["p_contact"] is not None:
        yield (
            "Simulation: the probability that an opponent's disc was touched is "
            f"{physics['p_contact']:.0%}."
        )
    if registration is not None:
        yield (
            f"{registration['registered_share']:.0%} of {registration['frames']} "
            "frames were aligned with the board to within "
            f"{registration['sigma_mm']:.2f} mm. The camera moved at "
            f"{registration['camera_px_s']:.0f} pixels per second."
        )
