"""Draws the totals and the verdict of a round as a panel beside a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.draw.canvas import WHITE, Canvas, Rgb, TextStyle, measure_text_width, pick_contrasting

_LEFT_PX, _TOP_PX = 24, 28
_SWATCH_PX, _ROW_PX = 52, 84
_NAME_PX, _NOTE_PX = 26, 22
_LINE_PX, _GAP_PX = _NOTE_PX + 8, 16
_NAME_STYLE = TextStyle(size_px=_NAME_PX, colour=WHITE, anchor="lm")
_POINTS_STYLE = TextStyle(size_px=46, colour=WHITE, anchor="rm")
_REMARK_STYLE = TextStyle(size_px=_NOTE_PX, colour=(160, 160, 168), anchor="lm")


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """A team's line: its colour, its name, its points, and a remark such as "one 20"."""

    colour_rgb: Rgb
    name: str
    points: int
    remark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPanel:
    """The panel's content. ``verdict`` is a sentence that says whether to review the round."""

    rows: tuple[SummaryRow, ...]
    verdict: str
    verdict_rgb: Rgb


def measure_panel_height(panel: SummaryPanel, width_px: int) -> int:
    """Height of the content of a panel of this width, pixels."""
    lines = _wrap_text(panel.verdict, width_px - 2 * _LEFT_PX)
    return _TOP_PX + _ROW_PX * len(panel.rows) + _LINE_PX * len(lines) + _GAP_PX


def draw_summary_panel(canvas: Canvas, panel: SummaryPanel) -> None:
    """Draw the panel, starting at the top of the canvas."""
    top = _TOP_PX
    for row in panel.rows:
        _draw_row(canvas, row, top)
        top += _ROW_PX
    verdict_style = TextStyle(size_px=_NOTE_PX, colour=panel.verdict_rgb)
    for line in _wrap_text(panel.verdict, canvas.pixels.shape[1] - 2 * _LEFT_PX):
        canvas.draw_text((_LEFT_PX, top), line, verdict_style)
        top += _LINE_PX


def _draw_row(canvas: Canvas, row: SummaryRow, top: int) -> None:
    middle = top + _SWATCH_PX / 2
    angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    unit = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    swatch = np.array([_LEFT_PX + _SWATCH_PX / 2, middle]) + unit * _SWATCH_PX / 2
    canvas.fill_area(swatch, row.colour_rgb)
    canvas.draw_curve(swatch, pick_contrasting(row.colour_rgb), 1)
    canvas.draw_curve(swatch, WHITE, 1)
    left: float = _LEFT_PX + _SWATCH_PX + 18
    canvas.draw_text((left, middle), row.name, _NAME_STYLE)
    right = canvas.pixels.shape[1] - _LEFT_PX
    canvas.draw_text((right, middle), str(row.points), _POINTS_STYLE)
    if row.remark:
        left += measure_text_width(row.name, _NAME_PX) + 14
        canvas.draw_text((left, middle + 2), row.remark, _REMARK_STYLE)


def _wrap_text(text: str, width_px: int) -> list[str]:
    """Split the text into lines that fit."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measure_text_width(longer, _NOTE_PX) <= width_px:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
