"""Pairs of boards in files, for ``crokinole explain``, and the explanations as JSON and words.

Knows the format: that of ``crokinole judge`` without contacts; board, disc and physics may be
added as in a scene, and ``track``: discs seen in motion. ``schemas/pair.schema.json`` describes the
file, ``explain.schema.json`` the answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calibration.state import DiscState
from scorer.physics import kernels
from scorer.physics.engine import partner_name
from scorer.physics.inverse.explain import Explanation, InverseSearchResult
from scorer.physics.inverse.observations import PARAMS as OBSERVATION_PARAMS
from scorer.physics.inverse.observations import BoardPair, TrackPoints
from scorer.physics.scene import MOST_DISCS, TableSpec, check_places
from webapp.formats.scene import parse_discs, parse_table, read_id, read_number, refuse_unknown

_KEYS = {"rules", "options", "shooter_team", "shooter_id", "teams", "before", "after"} | {
    "contacts",
    "board",
    "disc",
    "physics",
    "track",
}
#: Physics know three states; what leans or overhangs lies on the surface.
_CODES = {
    DiscState.FLAT: kernels.FLAT,
    DiscState.LEANING: kernels.FLAT,
    DiscState.OVERHANGING: kernels.FLAT,
    DiscState.IN_HOLE: kernels.IN_HOLE,
    DiscState.DITCH: kernels.DITCH,
}
_STATES = {
    kernels.FLAT: DiscState.FLAT,
    kernels.IN_HOLE: DiscState.IN_HOLE,
    kernels.DITCH: DiscState.DITCH,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPair:
    """A pair of boards with its discs' ids, the shooter's first."""

    table: TableSpec
    ids: tuple[str, ...]
    pair: BoardPair


def parse_pair(content: Mapping[str, Any], known: TableSpec | None = None) -> NamedPair:
    """The pair that a file describes. Raises ``ValueError``, naming field and value.

    known  what is known of the table; what the file says of it comes first
    """
    refuse_unknown(content, _KEYS, "pair")
    named = parse_boards(content, parse_table(content, known))
    return replace(named, pair=replace(named.pair, opponents=_parse_opponents(content, named.ids)))


def parse_boards(content: Mapping[str, Any], table: TableSpec) -> NamedPair:
    """The boards before and after, and points on the way, of discs that are nobody's opponent's."""
    before = {disc.id: disc for disc in parse_discs(content.get("before"), "before")}
    shooter = str(content.get("shooter_id"))
    if shooter not in before:
        raise ValueError(f"shooter_id: {shooter!r} is none of the discs in before")
    if len(before) > MOST_DISCS:
        raise ValueError(f"before: {len(before)} discs are more than {MOST_DISCS}")
    ids = (shooter, *sorted(before.keys() - {shooter}))
    places = np.array([(before[name].x_mm, before[name].y_mm) for name in ids])
    check_places(table, ids, places)
    after = _parse_after(content.get("after"), ids)
    pair = BoardPair(
        before_mm=places,
        after_mm=np.array([after[name][:2] for name in ids]),
        states=np.array([after[name][2] for name in ids], dtype=np.int8),
        opponents=np.zeros(len(ids), dtype=np.bool_),
        track=_parse_track(content.get("track"), ids),
    )
    return NamedPair(table=table, ids=ids, pair=pair)


def _parse_after(content: Any, ids: tuple[str, ...]) -> dict[str, tuple[float, float, int]]:
    """Place and state after, by id; a disc that is not on the surface has no place."""
    if not isinstance(content, list):
        raise ValueError(f"after must be a list, not {json.dumps(content)}")
    after = {}
    for index, each in enumerate(content):
        name = f"after[{index}]"
        key, state = read_id(each, name), each.get("state", "flat")
        if key not in ids:
            raise ValueError(f"{name}.id: {key!r} is none of the discs in before")
        if state not in _CODES:
            raise ValueError(f"{name}.state must be one of {', '.join(_CODES)}, not {state!r}")
        code = _CODES[state]
        is_flat = code == kernels.FLAT
        x = read_number(each, "x_mm", name) if is_flat else 0.0
        y = read_number(each, "y_mm", name) if is_flat else 0.0
        after[key] = (x, y, code)
    missing = [name for name in ids if name not in after]
    if missing:
        raise ValueError(f"after: the disc {missing[0]!r} of before is missing")
    return after


def _parse_opponents(content: Mapping[str, Any], ids: tuple[str, ...]) -> np.ndarray:
    teams = content.get("teams")
    if not isinstance(teams, Mapping):
        raise ValueError(f"teams must be a JSON object, not {json.dumps(teams)}")
    missing = [name for name in ids if name not in teams]
    if missing:
        raise ValueError(f"teams: the disc {missing[0]!r} has none")
    own = content.get("shooter_team", teams[ids[0]])
    return np.array([teams[name] != own for name in ids])


def _parse_track(content: Any, ids: tuple[str, ...]) -> TrackPoints | None:
    """Discs seen in motion; None when nothing was."""
    if content is None:
        return None
    if not isinstance(content, list):
        raise ValueError(f"track must be a list, not {json.dumps(content)}")
    points = [_parse_point(each, f"track[{index}]", ids) for index, each in enumerate(content)]
    discs, numbers = [disc for disc, _ in points], np.array([each for _, each in points])
    columns = numbers.reshape(-1, 4)
    return TrackPoints(
        discs=np.array(discs, dtype=np.int64),
        times_s=columns[:, 0],
        places_mm=columns[:, 1:3],
        sigmas_mm=columns[:, 3],
    )


def _parse_point(content: Any, name: str, ids: tuple[str, ...]) -> tuple[int, list[float]]:
    """A disc's row, and its time, place and sigma."""
    key = read_id(content, name)
    refuse_unknown(content, {"id", "t_s", "x_mm", "y_mm", "sigma_mm"}, name)
    if key not in ids:
        raise ValueError(f"{name}.id: {key!r} is none of the discs in before")
    sigma = read_number(content, "sigma_mm", name, OBSERVATION_PARAMS.track_noise_mm)
    if sigma <= 0:
        raise ValueError(f"{name}.sigma_mm must be above 0, not {sigma:g}")
    return ids.index(key), [
        *(read_number(content, each, name) for each in ("t_s", "x_mm", "y_mm")),
        sigma,
    ]


def verdict_json(named: NamedPair, verdict: InverseSearchResult) -> dict[str, Any]:
    """What ``crokinole explain --json`` prints."""
    return {
        "explained": verdict.explained,
        "reason": verdict.reason or None,
        "p_contact": None if verdict.p_contact is None else round(verdict.p_contact, 4),
        "by_hand": [named.ids[i] for i in verdict.by_hand],
        "shots": [_explanation_json(named, each) for each in verdict.explanations],
    }


def verdict_lines(named: NamedPair, verdict: InverseSearchResult) -> list[str]:
    """What a person reads."""
    lines = [verdict.reason] if verdict.reason else []
    if verdict.by_hand:
        moved = ", ".join(named.ids[i] for i in verdict.by_hand)
        lines.append(f"Likelier, a hand moved {moved}.")
    if verdict.p_contact is not None:
        lines.append(f"An opponent's disc was touched with probability {verdict.p_contact:.2f}.")
    for rank, each in enumerate(verdict.explanations, start=1):
        contacts = ", ".join(
            f"{named.ids[a]}–{partner_name(named.ids, b)}" for a, b in each.contacts
        )
        lines.append(
            f"{rank}. {each.shot[2]:.0f} mm/s towards {math.degrees(each.shot[3]) % 360:.1f}° "
            f"({each.probability:.0%}): {contacts or 'no contacts'}; misfit {each.misfit_mm:.1f} "
            f"of {each.tolerance_mm:.1f} mm"
        )
    return lines


def _explanation_json(named: NamedPair, each: Explanation) -> dict[str, Any]:
    x, y, speed, direction, spin = (float(value) for value in each.shot)
    return {
        "shot": {
            "id": named.ids[0],
            "x_mm": round(x, 3),
            "y_mm": round(y, 3),
            "speed_mm_s": round(speed, 2),
            "direction_deg": round(math.degrees(direction) % 360, 4),
            "spin_rad_s": round(spin, 3),
        },
        "discs": [
            {
                "id": name,
                "x_mm": round(float(place[0]), 3),
                "y_mm": round(float(place[1]), 3),
                "state": _STATES[int(state)].value,
            }
            for name, place, state in zip(named.ids, each.places_mm, each.states, strict=True)
        ],
        "contacts": [[named.ids[a], partner_name(named.ids, b)] for a, b in each.contacts],
        "misfit_mm": round(each.misfit_mm, 3),
        "tolerance_mm": round(each.tolerance_mm, 3),
        "sensitivity_mm": round(each.sensitivity_mm, 3),
        "probability": round(each.probability, 4),
        "touches_opponent": each.touches_opponent,
    }
