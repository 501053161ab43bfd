"""The best shots on a board in a file, what ``crokinole advise`` reads and prints.

The board's form has discs as in a scene, each with its ``team``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, TypeAdapter

from scorer.physics.engine import simulate
from scorer.physics.prediction import Forecast, Skill, advise
from scorer.physics.scene import (
    MOST_DISCS,
    FlickSpec,
    PhysicsScene,
    SceneDisc,
    TableSpec,
    separate_overlaps,
)
from webapp.formats.form import Form, Name, Omitted, OpenForm, check_form
from webapp.formats.scene import DiscForm, TableForm, make_discs, make_table

_SHOOTER = "shooter"
#: Widest scatter of aim that is advised for, mrad: a sixth of a right angle.
_MAX_SCATTER_MRAD = 250.0

_Chance = Annotated[float, Field(ge=0, le=1)]


class TeamDiscForm(DiscForm):
    """A disc, and whose it is."""

    team: Name


class StartForm(OpenForm):
    """Where the shooter's disc is placed."""

    x_mm: float
    y_mm: float


class PositionForm(TableForm):
    """A board on which a shot is to be played; millimetres in the board frame."""

    discs: list[TeamDiscForm] = Field(max_length=MOST_DISCS, default_factory=list)
    start: StartForm | Omitted = Field(
        default=None,
        description="Where the shooter's disc is placed; left out: the middle of the lowest "
        "quadrant's line.",
    )


class AdvisedShot(Form):
    """A shot with its chances, over the scatter of the player's hand."""

    speed_mm_s: float
    direction_deg: float = Field(description="Counter-clockwise from +x.")
    points: float = Field(description="Expected own points less the opponent's, after the shot.")
    p_twenty: _Chance = Field(description="An own disc falls into the hole.")
    p_stays: _Chance = Field(description="The shooter's disc ends on the board or in the hole.")
    p_foul: _Chance = Field(description="An opponent's disc had to be touched and was not.")


#: What ``crokinole advise --json`` prints: the best shot first.
Advice = TypeAdapter(list[AdvisedShot])


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotAdvice:
    """The best shots on a board, best first."""

    table: TableSpec
    discs: tuple[SceneDisc, ...]
    shots: tuple[Forecast, ...]

    def scene(self, rank: int) -> PhysicsScene:
        """The board with one of the shots."""
        x, y, speed, direction, spin = (float(value) for value in self.shots[rank].shot)
        shot = FlickSpec(
            id=_SHOOTER,
            x_mm=x,
            y_mm=y,
            speed_mm_s=speed,
            direction_deg=math.degrees(direction) % 360,
            spin_rad_s=spin,
        )
        return PhysicsScene(table=self.table, discs=self.discs, shot=shot)


def advise_shots(
    content: Mapping[str, Any], team: str, aim_mrad: float, known: TableSpec | None = None
) -> ShotAdvice:
    """Advice for a file's board. Raises ``ValueError``, naming field and value.

    known  what is known of the table; what the file says of it comes first
    """
    form = check_form(PositionForm, content)
    if not 0 < aim_mrad <= _MAX_SCATTER_MRAD:
        raise ValueError(f"--aim must lie between 0 and {_MAX_SCATTER_MRAD:g}, not {aim_mrad:g}")
    table, discs = make_table(form, known), make_discs(form.discs)
    start = form.start or StartForm(x_mm=0.0, y_mm=-table.board.line_radii_mm[2])
    x, y = start.x_mm, start.y_mm
    shot = FlickSpec(id=_SHOOTER, x_mm=x, y_mm=y, speed_mm_s=0.0, direction_deg=0.0)
    scene = PhysicsScene(table=table, discs=discs, shot=shot)
    places = separate_overlaps(table, scene.places_mm)
    team_of = {str(disc.id): str(disc.team) for disc in form.discs}
    own = np.array([team_of[name] == team for name in scene.ids[1:]], dtype=bool)
    shots = advise(table, places[1:], own, places[0], Skill(aim_mrad=aim_mrad))
    return ShotAdvice(table=table, discs=discs, shots=shots)


def advice_json(advice: ShotAdvice) -> list[dict[str, Any]]:
    """A list, the best shot first."""
    return [
        AdvisedShot(
            speed_mm_s=round(float(each.shot[2]), 1),
            direction_deg=round(math.degrees(each.shot[3]) % 360, 2),
            points=round(each.points, 2),
            p_twenty=round(each.twenty, 3),
            p_stays=round(each.stays, 3),
            p_foul=round(each.foul, 3),
        ).model_dump()
        for each in advice.shots
    ]


def advice_lines(advice: ShotAdvice) -> list[str]:
    """What a person reads."""
    return [
        f"{rank}. {each['speed_mm_s']:.0f} mm/s towards {each['direction_deg']:.1f}°: "
        f"{each['points']:+.1f} points; twenty {each['p_twenty']:.0%}, "
        f"stays {each['p_stays']:.0%}, foul {each['p_foul']:.0%}"
        for rank, each in enumerate(advice_json(advice), start=1)
    ]


def draw_best_shot(advice: ShotAdvice, path: Path) -> None:
    """Draw the best shot as it goes without scatter. Raises ``OSError`` and ``ValueError``."""
    from webapp.photo.shot_plot import draw_shot, save_picture

    scene = advice.scene(0)
    save_picture(draw_shot(scene, simulate(scene)), path)
