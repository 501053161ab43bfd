"""The best shots on a board in a file: input and output of ``crokinole advise``.

The board's form has discs as in a scene, with their ``team``. The advice is a scene for ``crokinole
simulate``, and describes in players' words where to place the disc and where to aim.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field, TypeAdapter

from scorer.analysis.best_shots import LOWEST_QUADRANT, Forecast, NothingLegal, RoundToPlay, advise
from scorer.physics.engine import simulate
from scorer.physics.flick_labels import describe_flick, find_aimed_disc
from scorer.physics.scene import (
    MOST_DISCS,
    FlickSpec,
    PhysicsScene,
    SceneDisc,
    TableSpec,
    separate_overlaps,
)
from scorer.physics.skills import Skill
from scorer.rules.board_geometry import LINE_5, nearest_quadrant
from scorer.rules.names import RuleSetName
from scorer.rules.sets import RULE_SETS, RuleSet
from webapp.formats.form import Form, Name, Omitted, OpenForm, check_form, must_be
from webapp.formats.scene import (
    DiscForm,
    FlickForm,
    SceneDiscForm,
    SceneForm,
    TableForm,
    make_discs,
    make_table,
)

_SHOOTER = "shooter"
#: Largest scatter of aim that advice accepts, mrad: a sixth of a right angle.
_MAX_SCATTER_MRAD = 250.0

#: Length of a terminal line.
_COLUMNS = 80

#: The message if no legal shot is advised.
_NOTHING_LEGAL = {
    NothingLegal.NO_ROOM: "There is no free place on the shooting line.",
    NothingLegal.MISPLACED: (
        "The rules do not allow a disc to be placed there, so every shot is a foul. These cost "
        "the least:"
    ),
    NothingLegal.NONE_FOUND: "No legal shot was found. These fouls cost the least:",
}

_DiscsLeft = Annotated[int, Field(ge=0, le=12), must_be("a number from 0 to 12")]
_Chance = Annotated[float, Field(ge=0, le=1)]


class TeamDiscForm(DiscForm):
    """A disc, and its owner."""

    team: Name


class StartForm(OpenForm):
    """The place of the shooter's disc."""

    x_mm: float
    y_mm: float


class PositionForm(TableForm):
    """A board for the next shot; millimetres in the board frame."""

    discs: list[TeamDiscForm] = Field(max_length=MOST_DISCS, default_factory=list)
    start: StartForm | Omitted = Field(
        default=None,
        description=(
            "Where the shooter's disc is placed; by default the best places that the rules allow "
            "are searched."
        ),
    )
    quadrant: Annotated[int, Field(ge=0, le=3), must_be("0, 1, 2 or 3")] | Omitted = Field(
        default=None,
        description=(
            "Where the shooter sits: quadrant k's centre is at 90 k degrees counter-clockwise "
            "from +x. By default the lowest quadrant, or the one that contains start."
        ),
    )
    left: Annotated[list[_DiscsLeft], Field(min_length=2, max_length=2)] | Omitted = Field(
        default=None,
        description="Discs left to shoot: of the side whose turn it is, including this one, and of "
        "the other side. By default, as many as if no disc had left the board.",
    )


class AdvisedShot(Form):
    """A shot with its chances, given the scatter of the player's hand."""

    speed_mm_s: float
    direction_deg: float = Field(description="Counter-clockwise from +x.")
    points: float = Field(description="Expected points minus the opponent's, after the shot.")
    lead: float | None = Field(
        default=None, description="The same at the round's end; the best shot has the highest."
    )
    p_twenty: _Chance = Field(
        description="A disc of the shooter's side falls into the hole and counts."
    )
    p_stays: _Chance = Field(description="The shooter's disc stays on the board or counts as a 20.")
    p_foul: _Chance = Field(description="The shot is a foul by the rules in force.")
    is_foul: bool = Field(
        default=False,
        description="A flick without scatter is a foul; only if no legal shot was found.",
    )
    target: str | None = Field(
        description="The first disc that a flick without scatter hits; null if it hits none."
    )
    words: str = Field(description="Where to place the disc, where to aim and how hard to shoot.")
    scene: SceneForm = Field(
        description=("The board with this shot, in the form that `crokinole simulate` reads.")
    )


#: What ``crokinole advise --json`` prints: the best shot first.
Advice = TypeAdapter(list[AdvisedShot])


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotAdvice:
    """The best shots on a board, best first.

    teams          the discs' owners, including the shooter's, by id
    nothing_legal  the reason why there is no legal shot; None if there is one
    """

    form: PositionForm
    table: TableSpec
    teams: Mapping[str, str]
    shooter: str
    shots: tuple[Forecast, ...]
    rules: RuleSet
    nothing_legal: NothingLegal | None

    def scene(self, rank: int) -> PhysicsScene:
        """The board with one of the shots, rounded as displayed."""
        x, y, speed, direction, spin = (float(value) for value in self.shots[rank].shot)
        shot = FlickSpec(
            id=self.shooter,
            x_mm=round(x, 2),
            y_mm=round(y, 2),
            speed_mm_s=round(speed, 1),
            direction_deg=round(math.degrees(direction) % 360, 2),
            spin_rad_s=round(spin, 2),
        )
        return PhysicsScene(table=self.table, discs=make_discs(self.form.discs), shot=shot)


def advise_shots(
    content: Mapping[str, object],
    team: str,
    skill: Skill,
    known: TableSpec | None = None,
    rules: RuleSet = RULE_SETS[RuleSetName.NCA],
) -> ShotAdvice:
    """Advice for a file's board. Raises ``ValueError``, naming field and value.

    skill  the scatter of the player's hand
    team   the team to shoot; a side without a disc may shoot if exactly one other side has discs
    known  the known facts of the table; the file's own take precedence
    rules  the rules for judging all shots
    """
    form = check_form(PositionForm, content)
    if not 0 < skill.aim_mrad <= _MAX_SCATTER_MRAD:
        raise ValueError(
            f"--aim must be between 0 and {_MAX_SCATTER_MRAD:g}, not {skill.aim_mrad:g}"
        )
    teams = {str(disc.id): str(disc.team) for disc in form.discs}
    present = sorted(set(teams.values()))
    if team not in present and len(present) > 1:
        raise ValueError(
            f"--team {team} has no discs on this board. Choose from {', '.join(present)}"
        )
    shooter = _SHOOTER
    while shooter in teams:
        shooter += "+"
    table, discs = make_table(form, known), make_discs(form.discs)
    quadrant = LOWEST_QUADRANT if form.quadrant is None else form.quadrant
    start = form.start or _find_clear_place(table, discs)
    shot = FlickSpec(
        id=shooter, x_mm=start.x_mm, y_mm=start.y_mm, speed_mm_s=0.0, direction_deg=0.0
    )
    scene = PhysicsScene(table=table, discs=discs, shot=shot)
    places = separate_overlaps(table, scene.places_mm)
    own = np.array([teams[name] == team for name in scene.ids[1:]], dtype=bool)
    if form.start is not None and form.quadrant is None:
        quadrant = nearest_quadrant(start.x_mm, start.y_mm)
    advice = advise(
        table,
        places[1:],
        own,
        rules,
        skill,
        start_mm=None if form.start is None else places[0],
        quadrant=quadrant,
        ahead=None if form.left is None else RoundToPlay(left=(form.left[0], form.left[1])),
    )
    teams[shooter] = team
    return ShotAdvice(
        form=form,
        table=table,
        teams=teams,
        shooter=shooter,
        shots=advice.shots,
        rules=rules,
        nothing_legal=advice.nothing_legal,
    )


def _find_clear_place(table: TableSpec, discs: Sequence[SceneDisc]) -> StartForm:
    """The point on the shooting line that is furthest from all discs, so that nothing overlaps
    there.
    """
    places = table.board.line_points_mm(LINE_5, np.radians(np.arange(360)))
    others = np.array([[disc.x_mm, disc.y_mm] for disc in discs]).reshape(-1, 2)
    away = np.hypot(*(places[:, None] - others[None]).transpose(2, 0, 1))
    x, y = places[int(np.argmax(away.min(axis=1, initial=np.inf)))].tolist()
    return StartForm(x_mm=x, y_mm=y)


def advice_json(advice: ShotAdvice) -> list[dict[str, object]]:
    """A list, the best shot first."""
    return [
        _advised_shot(advice, rank).model_dump(mode="json", exclude_unset=True)
        for rank in range(len(advice.shots))
    ]


def _advised_shot(advice: ShotAdvice, rank: int) -> AdvisedShot:
    forecast, scene = advice.shots[rank], advice.scene(rank)
    outcome = simulate(scene)
    return AdvisedShot(
        speed_mm_s=scene.shot.speed_mm_s,
        direction_deg=scene.shot.direction_deg,
        points=round(forecast.points, 2),
        lead=round(forecast.lead, 2),
        p_twenty=round(forecast.twenty, 3),
        p_stays=round(forecast.stays, 3),
        p_foul=round(forecast.foul, 3),
        is_foul=forecast.is_foul,
        target=find_aimed_disc(scene, outcome),
        words=" ".join(describe_flick(scene, outcome, advice.teams)),
        scene=_make_scene_form(advice, scene),
    )


def _make_scene_form(advice: ShotAdvice, scene: PhysicsScene) -> SceneForm:
    """The scene in its file form: the table of the board's file, its discs, the shot."""
    form, shot = advice.form, scene.shot
    table = {
        name: getattr(form, name)
        for name in ("board", "disc", "physics")
        if getattr(form, name) is not None
    }
    discs = [
        SceneDiscForm(id=disc.id, x_mm=disc.x_mm, y_mm=disc.y_mm, team=disc.team)
        for disc in form.discs
    ]
    flick = FlickForm(
        id=shot.id,
        x_mm=shot.x_mm,
        y_mm=shot.y_mm,
        speed_mm_s=shot.speed_mm_s,
        direction_deg=shot.direction_deg,
        spin_rad_s=shot.spin_rad_s,
        team=advice.teams[shot.id],
    )
    return SceneForm(**table, discs=discs, shot=flick)


def advice_lines(advice: ShotAdvice) -> list[str]:
    """The report for people."""
    lines = []
    if advice.nothing_legal is not None:
        lines += textwrap.wrap(_NOTHING_LEGAL[advice.nothing_legal], _COLUMNS)
    for rank, shot in enumerate(advice.shots):
        scene = advice.scene(rank)
        sentences = describe_flick(scene, simulate(scene), advice.teams)
        sentences.append(
            f"Expected lead: {shot.lead:+.1f} at the round's end, {shot.points:+.1f} after this "
            f"shot. Chances: 20 {shot.twenty:.0%}, stays on the board {shot.stays:.0%}, "
            f"foul {shot.foul:.0%}."
        )
        for number, sentence in enumerate(sentences):
            begin = f"{rank + 1}. " if number == 0 else "   "
            lines += textwrap.wrap(
                sentence, _COLUMNS, initial_indent=begin, subsequent_indent="     "
            )
    return lines
