"""Draw ten known situations with the advised shot: ``python tests/support/draw_situations.py PNG``.

Light discs are the shooter's, dark ones the other side's. A line is the path of the shooter's disc.
"""

from __future__ import annotations

import sys
from typing import Any

import cv2
import numpy as np

from scorer.physics.engine import simulate
from scorer.physics.scene import TableSpec
from scorer.physics.skills import SKILLS, SkillName
from webapp.formats.advice import ShotAdvice, advise_shots

#: The shooter's other discs, the other side's discs, and the discs that both still have to shoot,
#: including this one.
SITUATIONS: dict[str, tuple[list[tuple[float, float]], list[tuple[float, float]], list[int]]] = {
    "open 20": ([], [], [8, 8]),
    "take-out, straight": ([], [(0, -150)], [4, 4]),
    "take-out behind a post": ([], [(-50, 130)], [4, 4]),
    "20 off a disc": ([], [(0, -55)], [4, 4]),
    "hide": ([(30, 20)], [(230, 120)], [2, 3]),
    "two at once": ([], [(-25, -120), (25, -120)], [3, 3]),
    "last shot, 5 needed": ([(120, 60)], [(-120, 60)], [1, 0]),
    "last shot, 15 needed": ([(60, 30)], [(0, 60), (-200, 40)], [1, 0]),
    "last shot, 20 needed": ([], [(0, -60), (60, 0)], [1, 0]),
    "guard": ([(0, 40)], [(-260, 30)], [2, 2]),
}
_HALF_MM, _PX, _COLUMNS = 340.0, 300, 5


def advise_situation(name: str) -> ShotAdvice:
    """The advice in a situation, for a club player."""
    own, theirs, left = SITUATIONS[name]
    places = [(*place, "me") for place in own] + [(*place, "you") for place in theirs]
    discs = [
        {"id": f"d{k}", "x_mm": float(x), "y_mm": float(y), "team": team}
        for k, (x, y, team) in enumerate(places)
    ]
    position = {"discs": discs, "left": left, "quadrant": 3}
    return advise_shots(position, "me", SKILLS[SkillName.CLUB])


def draw(name: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A situation from above, with its best shot and the shot's chances."""
    own, theirs, _ = SITUATIONS[name]
    places = [(*place, "me") for place in own] + [(*place, "you") for place in theirs]
    advice = advise_situation(name)
    best, scene, table = advice.shots[0], advice.scene(0), TableSpec()
    picture = np.full((_PX + 44, _PX, 3), 245, dtype=np.uint8)

    def at(x: float, y: float) -> tuple[int, int]:
        scale = _PX / (2 * _HALF_MM)
        return round((x + _HALF_MM) * scale), round((_HALF_MM - y) * scale)

    def circle(place: tuple[float, float], radius_mm: float, colour: int, thick: int = -1) -> None:
        radius = max(1, round(radius_mm * _PX / (2 * _HALF_MM)))
        cv2.circle(picture, at(*place), radius, (colour,) * 3, thick, cv2.LINE_AA)

    circle((0, 0), 330, 190)
    for radius_mm in table.board.line_radii_mm:
        circle((0, 0), radius_mm, 120, 1)
    circle((0, 0), 17, 60)
    for x, y in table.posts_mm.tolist():
        circle((x, y), 5, 90)
    legs = [leg for leg in simulate(scene).path if leg.id == scene.shot.id]
    for leg in legs:
        ends = at(*leg.from_mm), at(*leg.to_mm)
        cv2.line(picture, *ends, (200, 90, 10), 2, cv2.LINE_AA)
    for x, y, team in [*places, (scene.shot.x_mm, scene.shot.y_mm, "me")]:
        circle((x, y), 15.9, 250 if team == "me" else 30)
        circle((x, y), 15.9, 80, 1)
    words = f"20 {best.twenty:.0%}  stays {best.stays:.0%}  foul {best.foul:.0%}  {best.lead:+.1f}"
    for line, text in enumerate((name, words)):
        origin = (6, _PX + 16 + 19 * line)
        cv2.putText(
            picture, text, origin, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (30,) * 3, 1, cv2.LINE_AA
        )
    return picture


def main() -> None:
    """Draw all situations."""
    drawn = [draw(name) for name in SITUATIONS]
    rows = [np.hstack(drawn[k : k + _COLUMNS]) for k in range(0, len(drawn), _COLUMNS)]
    cv2.imwrite(sys.argv[1], np.vstack(rows))


if __name__ == "__main__":
    main()
