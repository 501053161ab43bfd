"""A disc's call in players' words: its position at the deciding line, and its certainty.

The figures behind it are a separate sentence, for readers who ask.
"""

from __future__ import annotations

from calibration.board import BoardSpec
from calibration.placed_disc import DiscState
from scorer.photo.called_disc import CalledDisc
from scorer.zones import Boundary, CallCertainty

_LINES = {
    Boundary.LINE_15: "the 15 line",
    Boundary.LINE_10: "the 10 line",
    Boundary.LINE_5: "the 5 line",
}


def describe_lie(read: CalledDisc, spec: BoardSpec, foot_radius_mm: float) -> str:
    """A disc's position, such as ``1.2 mm clear of the 15 line``, with any uncertainty.

    foot_radius_mm  of the disc's base
    """
    call = read.call
    if call.call is CallCertainty.CLOSE:
        if call.alternative is None:
            return "hard to see" if read.disc.has_clear_team else "hard to see whose disc it is"
        return f"{call.zone} or {call.alternative}: too close to call"
    if read.disc.state is DiscState.IN_HOLE:
        return "in the hole"
    if read.disc.state is DiscState.OVERHANGING:
        return "hangs over the edge"
    if call.boundary is Boundary.HOLE:
        return "leans on the hole's edge"
    return _describe_margin(call.margin_mm, call.boundary, 2 * foot_radius_mm + spec.line_width_mm)


def _describe_margin(margin_mm: float, boundary: Boundary, across_mm: float) -> str:
    """A margin to a line; a disc that is ``across_mm`` farther out no longer touches it."""
    line, outside_mm = _LINES[boundary], -margin_mm - across_mm
    if margin_mm > 0:
        return f"{_format_mm(margin_mm)} clear of {line}"
    return f"{_format_mm(outside_mm)} outside {line}" if outside_mm > 0 else f"touches {line}"


def _format_mm(length_mm: float) -> str:
    """A length as people say it: tenths if they matter, otherwise whole millimetres."""
    return f"{length_mm:.1f} mm" if length_mm < 9.95 else f"{length_mm:.0f} mm"


def describe_figures(read: CalledDisc) -> str:
    """The figures of a call, for readers who want to check it."""
    call = read.call
    where = "the hole's edge" if call.boundary is Boundary.HOLE else _LINES[call.boundary]
    return (
        f"{call.margin_mm:+.2f} ± {call.sigma_mm:.2f} mm inside {where} (one standard "
        "deviation). A negative value means that the disc touches it or lies beyond it."
    )
