"""Draws the figures of the documentation as SVG, from the formulas that they show.

``python docs/make_figures.py`` writes all of them into ``docs/pictures``.
"""

from __future__ import annotations

import math
from pathlib import Path
from xml.sax.saxutils import escape

PICTURES = Path(__file__).parent / "pictures"
INK, WOOD, PAINT, RED, BLUE, SOFT = "#22313a", "#e2c08d", "#4b3826", "#b3261e", "#1f5fa8", "#8a979e"


class Drawing:
    """An SVG drawing, to which shapes are added; lengths in its pixels, y down."""

    def __init__(self, width: int, height: int, title: str) -> None:
        """An empty sheet, light so that it can be read on dark pages too."""
        self._head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            f'font-family="system-ui, sans-serif" font-size="15" fill="{INK}">'
            f"<title>{escape(title)}</title>"
            f'<rect width="{width}" height="{height}" rx="10" fill="#fbfaf7"/>'
        )
        self._parts: list[str] = []

    def line(
        self, *points: tuple[float, float], colour: str = INK, width: float = 2, dash: str = ""
    ) -> None:
        """A line through the points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" '
            f'stroke-width="{width}"{dashes}/>'
        )

    def shape(self, *points: tuple[float, float], fill: str, stroke: str = "none") -> None:
        """A filled polygon."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(f'<polygon points="{path}" fill="{fill}" stroke="{stroke}"/>')

    def oval(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        fill: str = "none",
        stroke: str = INK,
        width: float = 2,
    ) -> None:
        """An ellipse."""
        self._parts.append(
            f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{rx:.1f}" ry="{ry:.1f}" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="{width}"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        colour: str = INK,
        anchor: str = "start",
        size: int = 15,
    ) -> None:
        """A line of text."""
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" '
            f'font-size="{size}">{escape(words)}</text>'
        )

    def arrow(
        self, start: tuple[float, float], end: tuple[float, float], colour: str = INK
    ) -> None:
        """A line with an arrowhead at both ends, for a dimension."""
        self.line(start, end, colour=colour, width=1.5)
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        for tip, back in ((end, math.pi), (start, 0.0)):
            for side in (-0.4, 0.4):
                turned = angle + back + side
                self.line(
                    tip,
                    (tip[0] + 9 * math.cos(turned), tip[1] + 9 * math.sin(turned)),
                    colour=colour,
                    width=1.5,
                )

    def camera(self, x: float, y: float, towards: tuple[float, float], colour: str = INK) -> None:
        """A camera that looks at a point."""
        angle = math.atan2(towards[1] - y, towards[0] - x)
        c, s = math.cos(angle), math.sin(angle)
        body = [(-26, -10), (-4, -10), (-4, -5), (6, -8), (6, 8), (-4, 5), (-4, 10), (-26, 10)]
        self.shape(*((x + u * c - v * s, y + u * s + v * c) for u, v in body), fill=colour)

    def save(self, name: str) -> None:
        """Write it."""
        (PICTURES / f"{name}.svg").write_text(
            self._head + "".join(self._parts) + "</svg>\n", encoding="utf-8"
        )


def draw_base_and_top(
    tilt_deg: float = 60.0, height_mm: float = 9.5, radius_mm: float = 15.9
) -> None:
    """A disc from the side, seen at a slant: its base, and the place where its top edge appears."""
    sheet = Drawing(
        760, 380, "A disc seen at 60 degrees: the top edge hides the far side of its base"
    )
    scale, ground, middle = 9.0, 300.0, 400.0
    left, right = middle - radius_mm * scale, middle + radius_mm * scale
    top = ground - height_mm * scale
    sheet.shape((40, ground), (720, ground), (720, ground + 26), (40, ground + 26), fill=WOOD)
    sheet.shape(
        (left, ground), (right, ground), (right, top), (left, top), fill="#d7dde0", stroke=INK
    )
    shift = height_mm * scale * math.tan(math.radians(tilt_deg))
    for x, y, end, colour in ((left, top, left - shift, RED), (right, ground, right, BLUE)):
        away = math.radians(90 - tilt_deg)
        reach = (y - 72) / math.sin(away)
        sheet.line(
            (x + reach * math.cos(away), y - reach * math.sin(away)),
            (end, ground),
            colour=colour,
            dash="7 5",
        )
    sheet.oval(left - shift, ground, 5, 5, fill=RED, stroke=RED)
    sheet.oval(left, ground, 5, 5, fill=BLUE, stroke=BLUE)
    sheet.oval(right, ground, 5, 5, fill=BLUE, stroke=BLUE)
    sheet.arrow((left - shift, ground + 46), (left, ground + 46), colour=RED)
    sheet.text(
        (left - shift / 2) - shift / 2,
        ground + 68,
        f"h · tan θ = {height_mm} · tan {tilt_deg:.0f}° = {shift / scale:.1f} mm",
        colour=RED,
    )
    sheet.arrow((left - 16, ground), (left - 16, top), colour=INK)
    sheet.text(left - 24, top - 8, f"h = {height_mm} mm", anchor="end")
    sheet.text(
        56,
        34,
        "The far rim shows its top edge (red). Taken as the base, it shifts the disc this far.",
    )
    sheet.text(
        56,
        56,
        "The base (blue) decides the score. On the near side it is in sight.",
        colour=BLUE,
    )
    sheet.text(690, 130, "to the camera", anchor="end", colour=SOFT)
    sheet.save("foot_and_top")


def draw_margin() -> None:
    """The margin: a line from above, and a disc's contact edge."""
    sheet = Drawing(760, 300, "The margin: from the contact edge to the line's inner edge")
    for x, words, gap, colour in (
        (190, "margin +2.1 ± 0.4 mm: certain, inside", 34, BLUE),
        (560, "margin −0.3 ± 0.4 mm: close", -5, RED),
    ):
        edge = x + 110
        sheet.line((edge, 30), (edge, 230), colour=PAINT, width=1)
        sheet.shape((edge, 30), (edge + 22, 30), (edge + 22, 230), (edge, 230), fill=PAINT)
        sheet.oval(edge - gap - 82, 130, 86, 86, fill="#e8ecee", stroke=SOFT, width=1.5)
        sheet.oval(edge - gap - 82, 130, 82, 82, stroke=colour, width=2.5)
        if gap > 0:
            sheet.arrow((edge - gap, 130), (edge, 130), colour=colour)
        sheet.text(x - 80, 262, words, colour=colour)
    sheet.text(
        20,
        288,
        "Grey: the rim that a camera sees. Coloured: the edge on the board. Brown: the paint.",
        size=13,
    )
    sheet.save("margin")


#: Angles off the normal, deg; colours of the band and of the camera; their uses.
_BANDS = (
    (0, 30, "#cfe8d4", "#1d6b33", "0 to 30°: best, over the board"),
    (30, 50, "#e3efcf", "#5c6b1d", "30 to 50°: good, from a tripod"),
    (50, 65, "#f6e7c3", "#8a5a10", "50 to 65°: more calls are close"),
    (65, 80, "#f3d3c8", RED, "65 to 80°: discs hide each other"),
)


def draw_camera_places() -> None:
    """Places for a camera: angles off the board's normal, seen from the side."""
    sheet = Drawing(860, 430, "Where to put the camera")
    centre, reach = (530.0, 370.0), 300.0
    sheet.shape((290, 382), (770, 382), (770, 392), (290, 392), fill="#c9cfd2")
    for k, (low, high, fill, colour, words) in enumerate(_BANDS):
        for side in (-1, 1):
            angles = [side * (low + (high - low) * step / 12) for step in range(13)]
            sheet.shape(centre, *(_polar(centre, reach, angle) for angle in angles), fill=fill)
        sheet.camera(*_polar(centre, reach - 45, (low + high) / 2), centre, colour=colour)
        sheet.text(*_polar(centre, reach + 16, high), f"{high}°", anchor="middle", size=13)
        sheet.oval(30, 40 + 26 * k, 6, 6, fill=colour, stroke=colour)
        sheet.text(44, 45 + 26 * k, words, size=14)
    sheet.shape((350, 366), (710, 366), (710, 382), (350, 382), fill=WOOD, stroke=PAINT)
    under = "angles between straight up from the board and the line to the camera"
    sheet.text(530, 416, under, anchor="middle", size=13)
    sheet.save("camera_places")


def draw_light() -> None:
    """Places for lamps and windows, whose reflection in the lacquer must miss the camera."""
    sheet = Drawing(760, 330, "Where to put the light")
    board, camera, green = (380.0, 270.0), (380.0, 60.0), "#1d6b33"
    sheet.shape((220, 266), (540, 266), (540, 282), (220, 282), fill=WOOD, stroke=PAINT)
    sheet.camera(*camera, board)
    for x, hit in ((120, 260), (640, 500)):
        sheet.oval(x, 170, 12, 12, fill="#ffd75e", stroke=green)
        sheet.line((x, 170), (hit, 266), (2 * hit - x, 170), colour=green, dash="6 5")
    sheet.oval(452, 72, 12, 12, fill="#ffd75e", stroke=RED)
    sheet.line((452, 72), (416, 266), camera, colour=RED, dash="6 5")
    sheet.text(474, 66, "wrong: a lamp near the camera,", colour=RED, size=14)
    sheet.text(474, 86, "whose reflection is on the board", colour=RED, size=14)
    words = (
        "right: low lamps on both sides, whose reflection misses the camera; or a bright ceiling"
    )
    sheet.text(380, 314, words, colour=green, anchor="middle", size=14)
    sheet.text(24, 66, "No direct sun: a hard shadow", size=14)
    sheet.text(24, 86, "is as dark as a disc.", size=14)
    sheet.save("light")


def draw_millimetre() -> None:
    """Pixels per millimetre towards the camera, and the error that one pixel causes."""
    sheet = Drawing(760, 360, "A millimetre at each angle")
    left, bottom, width, height = 70.0, 300.0, 640.0, 240.0
    sheet.line((left, bottom), (left + width, bottom))
    sheet.line((left, bottom), (left, bottom - height))
    for angle in range(0, 81, 10):
        x = left + width * angle / 80
        sheet.line((x, bottom), (x, bottom + 5))
        sheet.text(x, bottom + 22, f"{angle}°", anchor="middle", size=13)
    for share in (0.25, 0.5, 0.75, 1.0):
        y = bottom - height * share
        sheet.line((left, y), (left + width, y), colour="#dcdcd6", width=1)
        sheet.text(left - 8, y + 5, f"{share:.2f}", anchor="end", size=13)
    curve = [
        (left + width * a / 80, bottom - height * math.cos(math.radians(a))) for a in range(81)
    ]
    sheet.line(*curve, colour=BLUE, width=3)
    rise = [
        (left + width * a / 80, bottom - height * math.tan(math.radians(a)) / 6) for a in range(81)
    ]
    sheet.line(*rise, colour=RED, width=3)
    sheet.text(left + 270, 50, "cos θ: how much a millimetre towards", colour=BLUE, size=14)
    sheet.text(left + 270, 70, "the camera shrinks in the picture", colour=BLUE, size=14)
    sheet.text(left + 20, 250, "tan θ / 6: how far a top edge", colour=RED, size=14)
    sheet.text(left + 20, 270, "is displaced by the disc's height", colour=RED, size=14)
    x60, half = left + width * 60 / 80, bottom - height * 0.5
    sheet.line((x60, bottom), (x60, half), colour=SOFT, dash="4 4")
    sheet.oval(x60, half, 5, 5, fill=BLUE, stroke=BLUE)
    sheet.text(x60 + 10, half - 6, "60°: half", colour=BLUE, size=14)
    sheet.text(
        left + width / 2,
        345,
        "tilt: the angle between straight up from the board and the line to the camera",
        anchor="middle",
        size=13,
    )
    sheet.save("millimetre")


def draw_error_budget(px_per_mm: float = 2.0) -> None:
    """The parts of a margin's sigma by tilt, as variances, so that the largest dominates."""
    sheet = Drawing(760, 380, "A margin's sigma and its parts")
    left, bottom, width, height, most = 70.0, 300.0, 640.0, 240.0, 1.4
    edge_px, contact_mm, paint_mm = 0.3, 0.2, 0.1
    sheet.line((left, bottom), (left + width, bottom))
    sheet.line((left, bottom), (left, bottom - height))
    for value in (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4):
        y = bottom - height * value / most
        sheet.line((left, y), (left + width, y), colour="#dcdcd6", width=1)
        sheet.text(left - 8, y + 5, f"{value:.1f}", anchor="end", size=13)
    for k, tilt in enumerate((0, 20, 40, 50, 60, 70, 75)):
        place = edge_px / (px_per_mm * math.cos(math.radians(tilt)))
        parts = ((place, BLUE), (contact_mm, "#c58a2b"), (paint_mm, "#6f8f5f"))
        total = math.sqrt(sum(size**2 for size, _ in parts))
        x, y = left + 30 + k * 88, bottom
        for size, colour in parts:  # the share of every part in the variance
            tall = height * total * (size / total) ** 2 / most
            sheet.shape((x, y), (x + 50, y), (x + 50, y - tall), (x, y - tall), fill=colour)
            y -= tall
        sheet.text(x + 25, y - 6, f"{total:.2f}", anchor="middle", size=13)
        sheet.text(x + 25, bottom + 20, f"{tilt}°", anchor="middle", size=13)
    for k, (words, colour) in enumerate(
        (
            ("the outline, found to 0.3 px", BLUE),
            ("the contact edge, ± 0.2 mm", "#c58a2b"),
            ("the paint's edge, ± 0.1 mm", "#6f8f5f"),
        )
    ):
        sheet.shape(
            (100, 60 + 22 * k),
            (114, 60 + 22 * k),
            (114, 74 + 22 * k),
            (100, 74 + 22 * k),
            fill=colour,
        )
        sheet.text(122, 73 + 22 * k, words, size=14)
    sheet.text(
        left,
        36,
        f"sigma of a margin, mm, at {px_per_mm:.0f} pixels a millimetre, towards the camera",
    )
    sheet.text(left + width / 2, 352, "tilt", anchor="middle", size=13)
    sheet.save("error_budget")


def _polar(centre: tuple[float, float], reach: float, angle_deg: float) -> tuple[float, float]:
    """A point at an angle off the vertical."""
    angle = math.radians(angle_deg)
    return centre[0] + reach * math.sin(angle), centre[1] - reach * math.cos(angle)


def main() -> None:
    """Draw all."""
    PICTURES.mkdir(exist_ok=True)
    for draw in (
        draw_base_and_top,
        draw_margin,
        draw_camera_places,
        draw_light,
        draw_millimetre,
        draw_error_budget,
    ):
        draw()


if __name__ == "__main__":
    main()
