"""The truth about a picture, from the file next to it.

There are two kinds of truth file: of a rendered picture, with every base known in millimetres, and
of a photo that a person labelled, with the middle of every top face known in pixels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.board import SCALE_RADIUS_MM, FloatArray
from webapp.formats.form import FormError, name_file_in_errors, read_object

IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".heic")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueDisc:
    """A disc in the truth.

    place        (x, y): mm in the board frame, or pixels of the picture (``Truth.is_metric``)
    alternative  the other zone that a person would accept, None if the label is certain
    is_close     whether a person at the board would call it close
    margin_mm    distance of its edge to the nearest line's inner edge, None if unknown
    line_margins_mm  distances of its contact edge inside the lines, innermost first; negative:
                     touching or outside; empty if unknown
    """

    team: str
    zone: int
    place: tuple[float, float]
    is_flat: bool
    alternative: int | None = None
    is_close: bool = False
    margin_mm: float | None = None
    line_margins_mm: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The truth of a picture.

    has_board    false for a picture of something else
    is_metric    whether places are board millimetres, up to a quarter turn, or pixels
    gate         places farther apart than this do not belong to the same disc
    ditch        (x, y, z) mm of discs in the ditch, z below the surface; None if unknown
    ignored      places that count as neither right nor wrong, such as a disc in a hand, with a
                 radius
    tilt_deg, disc_px  of a rendered picture: the view's tilt, and a disc's diameter in pixels
    """

    discs: tuple[TrueDisc, ...]
    totals: Mapping[str, int]
    has_board: bool
    is_metric: bool
    gate: float
    ditch: tuple[tuple[float, float, float], ...] | None = None
    ignored: tuple[tuple[float, float], ...] = ()
    ignored_within: float = 0.0
    tilt_deg: float | None = None
    disc_px: float | None = None


#: Rendered discs farther than this from their detected place are other discs: not quite a radius.
_GATE_MM = 14.0
#: Labels are of the top face and readings of the base, so the gate is wider: 1.5 radii; a hand with
#: a disc in it covers two.
_GATE_RADII, _IGNORED_RADII = 1.5, 2.0
#: A person at the board calls a disc close whose edge is nearer to a line than this, mm.
_CLOSE_MM = 0.6
#: Radius taken where a label has none, pixels.
_USUAL_RADIUS_PX = 15.0


def load_pictures_with_truth(folder: Path) -> list[tuple[Path, Truth]]:
    """All pictures in a folder that have a truth file of the same name, by name.

    Raises ``InputFileError`` for a file without a truth.
    """
    found = []
    for path in sorted(folder.glob("*.json")):
        pictures = [path.with_suffix(suffix) for suffix in IMAGE_SUFFIXES]
        picture = next((picture for picture in pictures if picture.exists()), None)
        if picture is not None:
            with name_file_in_errors(path):
                found.append((picture, parse_truth(read_object(path))))
    return found


def parse_truth(content: Mapping[str, Any]) -> Truth:
    """The truth described by a file's content. Raises ``FormError``."""
    try:
        return _parse_rendered(content) if "K" in content else _parse_labelled(content)
    except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise FormError(f"it holds no truth ({type(error).__name__}); label it anew") from None


def _parse_rendered(content: Mapping[str, Any]) -> Truth:
    board = content["board"]
    if board is None:
        return Truth(discs=(), totals={}, has_board=False, is_metric=True, gate=_GATE_MM)
    scale = SCALE_RADIUS_MM / board["line_radii"][1]
    distance_mm = float(np.linalg.norm(content["t"]))
    return Truth(
        discs=tuple(
            TrueDisc(
                team=disc["colour"],
                zone=disc["value"],
                place=(disc["x"] * scale, disc["y"] * scale),
                is_flat=disc["state"] == "flat",
                is_close=_is_close(disc["margin_mm"], scale),
                margin_mm=None if disc["margin_mm"] is None else disc["margin_mm"] * scale,
                line_margins_mm=_line_margins_mm(content, disc, scale),
            )
            for disc in content["discs"]
        ),
        totals=content["totals"],
        has_board=True,
        is_metric=True,
        gate=_GATE_MM,
        ditch=_parse_ditch(content, scale),
        tilt_deg=content["tilt_deg"],
        disc_px=2 * content["disc"]["radius"] * content["K"][0][0] / distance_mm,
    )


def _is_close(margin: float | None, scale: float) -> bool:
    return margin is not None and abs(margin) * scale < _CLOSE_MM


def _line_margins_mm(
    content: Mapping[str, Any], disc: Mapping[str, Any], scale: float
) -> tuple[float, ...]:
    """Margins to the lines in board mm; empty if the file gives no width or contact edge."""
    board, edge = content["board"], content["disc"].get("bottom_radius")
    if edge is None or "line_width" not in board:
        return ()
    reach = float(np.hypot(disc["x"], disc["y"])) + edge
    return tuple(
        scale * (radius - board["line_width"] / 2 - reach) for radius in board["line_radii"]
    )


def _parse_ditch(
    content: Mapping[str, Any], scale: float
) -> tuple[tuple[float, float, float], ...] | None:
    if "ditch" not in content:
        return None
    z_mm = -content["board"]["ditch_depth"] * scale
    return tuple((disc["x"] * scale, disc["y"] * scale, z_mm) for disc in content["ditch"])


def _parse_labelled(content: Mapping[str, Any]) -> Truth:
    discs = content["discs"]
    radii = [disc.get("r_px") or _USUAL_RADIUS_PX for disc in discs]
    radius_px = float(np.median(radii)) if radii else _USUAL_RADIUS_PX
    return Truth(
        discs=tuple(
            TrueDisc(
                team=disc["team"],
                zone=disc["zone"],
                place=(disc["px"][0], disc["px"][1]),
                is_flat=disc.get("state") == "flat",
                alternative=disc.get("alt_zone") if disc.get("close") else None,
                is_close=bool(disc.get("close")),
            )
            for disc in discs
        ),
        totals=content["totals"],
        has_board=True,
        is_metric=False,
        gate=_GATE_RADII * radius_px,
        ignored=tuple(
            (ignored["px"][0], ignored["px"][1]) for ignored in content.get("ignore") or ()
        ),
        ignored_within=_IGNORED_RADII * radius_px,
    )


def quarter_turns(count: int) -> FloatArray:
    """Rotation (2, 2) by a number of quarter turns, because a board looks alike from all four
    sides.
    """
    return np.linalg.matrix_power(np.array([[0.0, -1.0], [1.0, 0.0]]), count)
