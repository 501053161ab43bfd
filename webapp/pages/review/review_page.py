"""A film's review for its page: sentences from its JSON (``webapp.formats.review``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calibration.phrase import Phrase, term
from scorer.clock_hour import find_clock_hour
from scorer.referee.events import ShotEvent, from_json
from webapp.live.ruling_messages import describe_removal

#: The review, or a part of it, as JSON.
_Review = Mapping[str, Any]
#: A gap within this many sigmas of zero is too close to call, like a margin (``scorer.zones``).
_CLOSE_SIGMAS = 3.0
_VERDICTS = {
    "legal": Phrase("The shot is legal"),
    "foul": Phrase("The shot is a foul"),
    "needs_review": Phrase("Needs a decision"),
}


def build_review(review: _Review) -> dict[str, object]:
    """The verdict or why there is none, the rules that were broken, and the rest in sentences."""
    shot, reason = review["shot"], review["reason"] or ""
    return {
        "verdict": _VERDICTS[shot["verdict"]] if shot else Phrase("No decision"),
        "reason": Phrase("%(reason)S", reason=reason),
        "rules": [
            {"words": term(fault["code"].replace("_", " ")), "rule": fault["rule"]}
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
    return Phrase("First look: %(verdict)s. The full review may change this.", verdict=words)


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
    disc = _name_colour(nearest["disc"])
    colour = _name_colour(nearest["other"] or "")
    hour = find_clock_hour(nearest["x_mm"], nearest["y_mm"])
    other = Phrase("%(colour)s at %(hour)s o'clock", colour=colour, hour=hour)
    gap_mm, is_close = (
        nearest["gap_mm"],
        abs(nearest["gap_mm"]) < _CLOSE_SIGMAS * nearest["sigma_mm"],
    )
    if nearest["kind"] == "touch":
        return Phrase("%(disc)S touches %(other)s.", disc=disc, other=other)
    if nearest["kind"] == "gap":
        close = Phrase(
            "%(disc)S passes too close to %(other)s to call. Watch the video together.",
            disc=disc,
            other=other,
        )
        return (
            close
            if is_close
            else Phrase(
                "%(disc)S passes %(other)s with a gap of %(gap_mm).1f mm.",
                disc=disc,
                other=other,
                gap_mm=gap_mm,
            )
        )
    if is_close:
        return Phrase(
            "%(disc)S ends too close to the 15 line to call. Check it together.", disc=disc
        )
    side = Phrase("short of") if gap_mm > 0 else Phrase("over")
    return Phrase(
        "%(disc)S ends %(gap_mm).1f mm %(side)s the 15 line.",
        disc=disc,
        gap_mm=abs(gap_mm),
        side=side,
    )


def _name_colour(disc: str) -> Phrase:
    """The colour in a disc's name, which ends with its number: "light brown 3"."""
    return term(disc.rstrip("0123456789").rstrip())


def _describe_notes(review: _Review) -> Iterator[str]:
    if review["shots"] > 1:
        yield Phrase(
            "The video shows %(shots)s shots. This is the last one.", shots=review["shots"]
        )
    yield from review["notes"]


def _describe_figures(review: _Review) -> Iterator[str]:
    """The figures behind the verdict, for readers who want to check it."""
    nearest = review["nearest"]
    if nearest is not None:
        yield (
            Phrase(
                "Closest approach: %(t_s).2f s into the video, gap %(gap_mm)+.2f ± "
                "%(sigma_mm).2f mm (one standard deviation).",
                t_s=nearest["t_s"],
                gap_mm=nearest["gap_mm"],
                sigma_mm=nearest["sigma_mm"],
            )
        )
    physics, registration = review["physics"], review["registration"]
    if physics is not None and physics["p_contact"] is not None:
        yield (
            Phrase(
                "Simulation: the probability that an opponent's disc was touched "
                "is %(p_contact).0f%%.",
                p_contact=100 * (physics["p_contact"]),
            )
        )
    if registration is not None:
        yield (
            Phrase(
                "%(registered_share).0f%% of %(frames)s frames were aligned with "
                "the board to within %(sigma_mm).2f mm. The camera moved at "
                "%(camera_px_s).0f pixels per second.",
                registered_share=100 * (registration["registered_share"]),
                frames=registration["frames"],
                sigma_mm=registration["sigma_mm"],
                camera_px_s=registration["camera_px_s"],
            )
        )
