"""Boards before and after a shot: input and output of ``crokinole explain``.

The form of the boards is that of ``crokinole judge`` without contacts. Board, disc and physics may
be added as in a scene, and ``track``: discs seen in motion.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Discriminator, Field, Tag

from calibration.placed_disc import DiscState
from scorer.physics import kernels
from scorer.physics.engine import partner_name
from scorer.physics.inverse.explain import Explanation, InverseSearchResult
from scorer.physics.inverse.observations import BoardPair, ObservationParameters, TrackPoints
from scorer.physics.scene import MOST_DISCS, TableSpec, check_places
from webapp.formats.form import (
    MAX_LISTED_DISCS,
    Form,
    FormError,
    Name,
    Omitted,
    OpenForm,
    check_form,
    quote,
)
from webapp.formats.scene import DiscForm, TableForm, make_discs, make_table

#: Twelve discs at 60 frames a second for a minute.
_MAX_TRACK = 50_000

#: The physics has three states; a leaning or overhanging disc is treated as flat on the surface.
_STATES: dict[str, int] = {
    DiscState.FLAT: kernels.FLAT,
    DiscState.LEANING: kernels.FLAT,
    DiscState.OVERHANGING: kernels.FLAT,
    DiscState.IN_HOLE: kernels.IN_HOLE,
    DiscState.DITCH: kernels.DITCH,
}


class GoneForm(OpenForm):
    """A disc that is not on the surface; its place is ignored."""

    id: Name
    state: Literal["in_hole", "ditch"]


class RestForm(DiscForm):
    """A disc on the surface."""

    state: Literal["flat", "leaning", "overhanging"] = "flat"


def _find_kind(content: object) -> str | None:
    """The kind of a disc after the shot; None if there is no such state."""
    state = content.get("state", "flat") if isinstance(content, dict) else "flat"
    if not isinstance(state, str) or state not in _STATES:
        return None
    return "rest" if _STATES[state] == kernels.FLAT else "gone"


class TrackForm(Form):
    """A place of a disc in motion."""

    id: Name
    t_s: float = Field(
        description="Time in seconds from any moment; the time of the flick is estimated too."
    )
    x_mm: float
    y_mm: float
    sigma_mm: float = Field(
        default=ObservationParameters.declared["track_noise_mm"].default,
        gt=0,
        description="One standard deviation of the position per axis.",
    )


class BoardsForm(Form):
    """A board before and after a shot."""

    before: list[DiscForm] = Field(
        max_length=MOST_DISCS,
        description="The discs on the board, and the shooter's disc where it was placed.",
    )
    after: list[
        Annotated[
            Annotated[RestForm, Tag("rest")] | Annotated[GoneForm, Tag("gone")],
            Discriminator(
                _find_kind,
                custom_error_type="must_be",
                custom_error_message=f"must be one of {', '.join(_STATES)}",
                custom_error_context={"key": "state"},
            ),
        ]
    ] = Field(
        max_length=MAX_LISTED_DISCS,
        description="Every disc in before; a disc in the ditch or the hole needs no position.",
    )
    shooter_id: Name
    track: Annotated[list[TrackForm], Field(max_length=_MAX_TRACK)] | Omitted = Field(
        default=None,
        description=(
            "Discs seen in motion, in any order: they constrain the shot as precisely as they "
            "were seen. Leave out doubtful points; a wrong one does little harm."
        ),
    )


class PairForm(TableForm, BoardsForm):
    """A board before and after a shot, and the discs' owners."""

    rules: object = Field(default=None, description="As for `crokinole judge`; ignored here.")
    options: object = Field(default=None, description="As for `crokinole judge`; ignored here.")
    contacts: object = Field(default=None, description="As for `crokinole judge`; ignored here.")
    shooter_team: object = Field(
        default=None, description="Whose turn it was; by default the team of the shooter's disc."
    )
    teams: dict[str, object] = Field(
        max_length=MAX_LISTED_DISCS, description="Every disc's team, by its id."
    )


_RestState = Literal["flat", "in_hole", "ditch"]
_STATE_NAMES: dict[int, _RestState] = {
    kernels.FLAT: "flat",
    kernels.IN_HOLE: "in_hole",
    kernels.DITCH: "ditch",
}


class ExplainedFlick(Form):
    """A flick that may have happened."""

    id: str
    x_mm: float
    y_mm: float
    speed_mm_s: float
    direction_deg: float = Field(description="Counter-clockwise from +x.")
    spin_rad_s: float


class ExplainedDisc(Form):
    """A disc's final place after that flick."""

    id: str
    x_mm: float
    y_mm: float
    state: _RestState


class ExplainedShot(Form):
    """A flick with its consequences."""

    shot: ExplainedFlick
    discs: list[ExplainedDisc]
    contacts: list[Annotated[list[str], Field(min_length=2, max_length=2)]]
    misfit_mm: float = Field(
        description="The remaining misfit per disc, including the pulls on uncertain values."
    )
    tolerance_mm: float = Field(
        description=(
            "Above this misfit, a hand that moved discs explains the board better. It is large if "
            "the flick determines the discs' places, small if it could have led anywhere."
        )
    )
    sensitivity_mm: float = Field(
        description="How far a disc moves for one sigma of all uncertain values."
    )
    probability: float = Field(ge=0, le=1)
    touches_opponent: bool


class ExplainForm(Form):
    """Whether flicks explain a pair of boards, and the flicks."""

    explained: bool = Field(
        description="Whether a flick alone explains the board better than a hand that moved discs."
    )
    reason: str | None = Field(description="The reason for a missing explanation.")
    p_contact: float | None = Field(
        ge=0,
        le=1,
        description="Probability that an opponent's disc was touched; null when nothing is "
        "explained.",
    )
    by_hand: list[str] = Field(
        description="Discs best explained by a hand; empty if a flick explains the board."
    )
    shots: list[ExplainedShot] = Field(
        description=(
            "Most likely first, with different orders of contacts; without an explanation, the "
            "closest."
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPair:
    """A pair of boards with its discs' ids, the shooter's first."""

    table: TableSpec
    ids: tuple[str, ...]
    pair: BoardPair


def parse_pair(content: Mapping[str, object], known: TableSpec | None = None) -> NamedPair:
    """The pair described by a file. Raises ``ValueError``, naming field and value.

    known  the known facts of the table; the file's own take precedence
    """
    form = check_form(PairForm, content)
    named = make_pair(form, make_table(form, known))
    return replace(named, pair=replace(named.pair, opponents=_find_opponents(form, named.ids)))


def make_pair(form: BoardsForm, table: TableSpec) -> NamedPair:
    """The boards before and after, and points in between, with no disc counted as an opponent's.

    Raises ``ValueError``, naming field and value, for an impossible board.
    """
    before = {disc.id: disc for disc in make_discs(form.before)}
    shooter = str(form.shooter_id)
    _check_known(shooter, before, "shooter_id")
    ids = (shooter, *sorted(before.keys() - {shooter}))
    places = np.array([(before[name].x_mm, before[name].y_mm) for name in ids])
    check_places(table, ids, places)
    after = {}
    for index, disc in enumerate(form.after):
        _check_known(str(disc.id), before, f"after[{index}].id")
        place = (disc.x_mm, disc.y_mm) if isinstance(disc, RestForm) else (0.0, 0.0)
        after[str(disc.id)] = (place, _STATES[disc.state])
    missing = [name for name in ids if name not in after]
    if missing:
        raise FormError(f"after: disc {quote(missing[0])} from before is missing. Add it")
    pair = BoardPair(
        before_mm=places,
        after_mm=np.array([after[name][0] for name in ids]),
        states=np.array([after[name][1] for name in ids], dtype=np.int8),
        opponents=np.zeros(len(ids), dtype=np.bool_),
        track=None if form.track is None else _make_track(form.track, ids),
    )
    return NamedPair(table=table, ids=ids, pair=pair)


def explain_json(named: NamedPair, found: InverseSearchResult) -> dict[str, object]:
    """The output of ``crokinole explain --json``."""
    return ExplainForm(
        explained=found.explained,
        reason=found.reason or None,
        p_contact=None if found.p_contact is None else round(found.p_contact, 4),
        by_hand=[named.ids[i] for i in found.by_hand],
        shots=[_make_shot(named, explanation) for explanation in found.explanations],
    ).model_dump()


def explain_lines(named: NamedPair, found: InverseSearchResult) -> list[str]:
    """The report for people."""
    lines = [found.reason] if found.reason else []
    if found.by_hand:
        moved = ", ".join(named.ids[i] for i in found.by_hand)
        lines.append(f"It is more likely that a hand moved {moved}.")
    if found.p_contact is not None:
        lines.append(f"An opponent's disc was touched with probability {found.p_contact:.2f}.")
    for rank, explanation in enumerate(found.explanations, start=1):
        contacts = ", ".join(
            f"{named.ids[a]}–{partner_name(named.ids, b)}" for a, b in explanation.contacts
        )
        lines.append(
            f"{rank}. {explanation.shot[2]:.0f} mm/s towards "
            f"{math.degrees(explanation.shot[3]) % 360:.1f}° "
            f"({explanation.probability:.0%}): {contacts or 'no contacts'}; "
            f"misfit {explanation.misfit_mm:.1f} mm, limit {explanation.tolerance_mm:.1f} mm"
        )
    return lines


def _find_opponents(form: PairForm, ids: tuple[str, ...]) -> np.ndarray:
    """The discs that are not of the shooter's team."""
    missing = [name for name in ids if name not in form.teams]
    if missing:
        raise FormError(f"teams: disc {quote(missing[0])} has no team. Add its team")
    is_given = "shooter_team" in form.model_fields_set
    own = form.shooter_team if is_given else form.teams[ids[0]]
    return np.array([form.teams[name] != own for name in ids])


def _make_track(track: list[TrackForm], ids: tuple[str, ...]) -> TrackPoints:
    """Discs seen in motion, by their rows."""
    for index, track_form in enumerate(track):
        _check_known(str(track_form.id), ids, f"track[{index}].id")
    columns = np.array(
        [
            (track_form.t_s, track_form.x_mm, track_form.y_mm, track_form.sigma_mm)
            for track_form in track
        ]
    )
    columns = columns.reshape(-1, 4)
    return TrackPoints(
        discs=np.array([ids.index(str(track_form.id)) for track_form in track], dtype=np.int64),
        times_s=columns[:, 0],
        places_mm=columns[:, 1:3],
        sigmas_mm=columns[:, 3],
    )


def _check_known(disc: str, before: Collection[str], place: str) -> None:
    """Raise ``FormError`` for a disc that was not on the board before."""
    if disc not in before:
        raise FormError(f"{place}: {quote(disc)} is not one of the discs in before")


def _make_shot(named: NamedPair, explanation: Explanation) -> ExplainedShot:
    x, y, speed, direction, spin = (float(value) for value in explanation.shot)
    return ExplainedShot(
        shot=ExplainedFlick(
            id=named.ids[0],
            x_mm=round(x, 3),
            y_mm=round(y, 3),
            speed_mm_s=round(speed, 2),
            direction_deg=round(math.degrees(direction) % 360, 4),
            spin_rad_s=round(spin, 3),
        ),
        discs=[
            ExplainedDisc(
                id=name,
                x_mm=round(float(place[0]), 3),
                y_mm=round(float(place[1]), 3),
                state=_STATE_NAMES[int(state)],
            )
            for name, place, state in zip(
                named.ids, explanation.places_mm, explanation.states, strict=True
            )
        ],
        contacts=[[named.ids[a], partner_name(named.ids, b)] for a, b in explanation.contacts],
        misfit_mm=round(explanation.misfit_mm, 3),
        tolerance_mm=round(explanation.tolerance_mm, 3),
        sensitivity_mm=round(explanation.sensitivity_mm, 3),
        probability=round(explanation.probability, 4),
        touches_opponent=explanation.touches_opponent,
    )
