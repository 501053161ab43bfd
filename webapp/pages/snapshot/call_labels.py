"""A disc's call in players' words: its position at the deciding line, and its certainty.

The figures behind it are a separate sentence, for readers who ask.
"""

from __future__ import annotations

from calibration.board import BoardSpec
from calibration.phrase import Phrase
from calibration.placed_disc import DiscState
from scorer.photo.called_disc import CalledDisc
from scorer.zones import Boundary, CallCertainty

_LINES = {
    Boundary.LINE_15: Phrase("the 15 line"),
    Boundary.LINE_10: Phrase("the 10 line"),
    Boundary.LINE_5: Phrase("the 5 line"),
}


def describe_place(read: CalledDisc, spec: BoardSpec, base_radius_mm: float) -> str:
    """A disc's position, such as ``1.2 mm clear of the 15 line``, with any uncertainty.

    base_radius_mm  of the disc's base
    """
    call = read.call
    if call.call is CallCertainty.CLOSE:
        if call.alternative is None:
            return (
                Phrase("hard to see")
                if read.disc.has_clear_team
                else Phrase("hard to see whose disc it is")
            )
        return Phrase(
            "%(zone)s or %(alternative)s: too close to call",
            zone=call.zone,
            alternative=call.alternative,
        )
    if read.disc.state is DiscState.IN_HOLE:
        return Phrase("in the hole")
    if read.disc.state is DiscState.OVERHANGING:
        return Phrase("hangs over the edge")
    if call.boundary is Boundary.HOLE:
        return Phrase("leans on the hole's edge")
    return _describe_margin(call.margin_mm, call.boundary, 2 * base_radius_mm + spec.line_width_mm)


def _describe_margin(margin_mm: float, boundary: Boundary, across_mm: float) -> str:
    """A margin to a line; a disc moved ``across_mm`` outwards no longer touches the line."""
    line, outside_mm = _LINES[boundary], -margin_mm - across_mm
    if margin_mm > 0:
        return Phrase("%(margin_mm)s clear of %(line)s", margin_mm=_format_mm(margin_mm), line=line)
    return (
        Phrase("%(outside_mm)s outside %(line)s", outside_mm=_format_mm(outside_mm), line=line)
        if outside_mm > 0
        else Phrase("touches %(line)s", line=line)
    )


def _format_mm(length_mm: float) -> str:
    """A length as people say it: tenths if they matter, otherwise whole millimetres."""
    return (
        Phrase("%(length_mm).1f mm", length_mm=length_mm)
        if length_mm < 9.95
        else Phrase("%(length_mm).0f mm", length_mm=length_mm)
    )


def describe_figures(read: CalledDisc) -> str:
    """The figures of a call, for readers who want to check it."""
    call = read.call
    where = Phrase("the hole's edge") if call.boundary is Boundary.HOLE else _LINES[call.boundary]
    return Phrase(
        "%(margin_mm)+.2f ± %(sigma_mm).2f mm inside %(where)s (one "
        "standard deviation). A negative value means that the disc touches "
        "it or lies beyond it.",
        margin_mm=call.margin_mm,
        sigma_mm=call.sigma_mm,
        where=where,
    )
