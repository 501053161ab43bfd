"""Cuts: found between two moments of one camera, and not during mere motion."""

from __future__ import annotations

import numpy as np
import pytest

from vision.io.cuts import mark_cuts

_ROWS, _COLUMNS = 90, 160


def _draw_cells(hand: int, disc: int, light: float = 1.0) -> np.ndarray:
    """A board's cells with a hand that reaches in by a given length, and a disc at rest."""
    cells = np.full((_ROWS, _COLUMNS), 140.0)
    cells[40:56, :hand] = 70.0
    cells[20:24, disc : disc + 4] = 30.0
    return np.clip(light * cells, 0, 255).astype(np.uint8)


_STILL = [_draw_cells(0, 60)] * 6


def _send_anew(cells: np.ndarray, grey: float = 2.6, seed: int = 5) -> np.ndarray:
    """The same cells after a keyframe of a strongly compressed film."""
    press = np.random.default_rng(seed).laplace(0.0, grey, cells.shape)
    return np.clip(cells + press, 0, 255).astype(np.uint8)


def _fade(steps: list[int]) -> list[np.ndarray]:
    """A graphic next to the board that has faded in by a number of tenths."""
    frames = []
    for step in steps:
        cells = _draw_cells(0, 60)
        cells[70:88, 4:60] -= np.uint8(10 * step)
        frames.append(cells)
    return frames


#: All cells change from frame to frame, and once by less: a hand that then moves is no cut.
_TREMBLING = [
    _send_anew(_draw_cells(30 * (i > 4), 60), grey=4.0, seed=i - (i > 4)) for i in range(10)
]


@pytest.mark.parametrize(
    ("film", "cuts"),
    [
        ([*_STILL, *[_draw_cells(30, 100)] * 6], [6]),
        ([*_STILL, *[_draw_cells(30 + k, 100) for k in range(6)]], [6]),
        ([*_STILL, *[_draw_cells(12 * k, 60) for k in range(1, 8)]], []),
        ([*_STILL, *[_draw_cells(0, 60 + 9 * k) for k in range(1, 8)]], []),
        ([*_STILL, *[_draw_cells(0, 60, light=0.8)] * 6], []),
        ([*_STILL, _draw_cells(40, 60), *_STILL], []),
        ([*_STILL, *[_send_anew(_draw_cells(0, 60))] * 6], []),
        ([*_STILL, *[_send_anew(_draw_cells(30, 100))] * 6], [6]),
        (_TREMBLING, []),
        ([*_STILL, *_fade([1, 2, 3, 3, 5, 6, 7])], []),
        ([*_STILL, *_fade([4] * 7)], [6]),
        ([*_STILL, _draw_cells(40, 100)], []),
        ([_draw_cells(0, 60)], []),
        ([], []),
    ],
    ids=[
        "still",
        "moving on",
        "hand",
        "disc",
        "light",
        "flash",
        "anew",
        "cut and anew",
        "trembling",
        "fade with a frame shown again",
        "graphic at once",
        "last frame",
        "one",
        "none",
    ],
)
def test_a_cut_is_a_jump_that_stands_alone(film: list[np.ndarray], cuts: list[int]) -> None:
    marked = list(mark_cuts(enumerate(film), lambda item: item[1]))
    assert [number for (number, _), _ in marked] == list(range(len(film)))
    assert [number for (number, _), is_cut in marked if is_cut] == cuts
