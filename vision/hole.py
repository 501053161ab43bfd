"""What lies over the hole: nothing, a disc in it, or a disc that leans on its edge.

Three measurements decide. The colour inside: a disc has its team's. The gap: a disc in the hole
leaves 1 to 2 mm all round, which is dark, while an empty hole keeps its own colour, often a team's,
up to its rim. And what sticks out: nothing of an empty hole is ever seen beyond its rim, and next
to nothing of a disc in it, but a leaning disc hides a part of the rim and of the wood behind it.

Where they do not tell, the answer is no: a twenty that is missed is asked for, one that is invented
is not forgiven.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.board import BoardSpec
from calibration.camera import FloatArray
from vision.colour import nearest_team, weighted_lab
from vision.lift import Picture
from vision.silhouette import sample

#: A disc in the hole keeps its team's colour to this many weighted Lab units (renders: up to 7;
#: painted holes of nearly a team's colour: from 11) ...
_TEAM_COLOUR_LAB = 8.0
#: ... or to this many behind a gap so dark, in weighted L, that no paint has it (shade, glare).
_SHADED_COLOUR_LAB, _BLACK_GAP_L = 15.0, 10.0
#: The gap is darker than disc and wood by this share of their lightness (renders with a disc: 0.36
#: to 0.54, empty: up to 0.22) and by this in weighted L, over half of the hole's rim.
_GAP_DARKER_SHARE = 0.25
_GAP_DARKER_L = 4.0
#: Shares of the directions in which a gap is seen: by a disc in the hole (renders: 0.85 to 1, two
#: seen askew 0.7), by one that leans in it (0.5 to 0.75), by wall and floor (up to 0.5).
_GAP_ALL_ROUND, _GAP_ON_ONE_SIDE, _GAP_ON_HALF = 0.8, 0.65, 0.5
#: A gap is seen where it is darker than what lies beside it by this share.
_GAP_SEEN_SHARE = 0.15
#: A disc that sticks out of the hole covers at least this share of the directions round it.
_LEANING_SHARE = 0.12
#: Beyond the rim, mm: where a leaning disc is looked for, and where the bare wood is.
_STICKING_OUT_MM = (2.5, 4.5)
_WOOD_MM = (7.0, 12.0)
#: Cosine of how far round from its own side a leaning disc hides the rim, seen askew.
_SAME_SIDE = -0.2
_DIRECTIONS = 48
#: A hole is wider than a disc by at least this in radius, usually by that, mm.
_LEAST_PLAY_MM, _USUAL_PLAY_MM = 0.9, 1.8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HoleLook:
    """What the hole shows.

    team             whose colour is nearest to what is seen inside, -1 without teams
    colour_distance  to that team, weighted Lab
    gap_darkness     of the gap round a disc, weighted L
    gap_share        the same as a share of the lightness beside it
    gap_cover        share of the directions in which a gap is seen
    sticking_out     share of the directions in which that team's colour lies beyond the rim
    beyond_lab       colours just beyond the rim: (k, 3)
    wood_lab         colour of the bare wood around: (3,)
    """

    team: int
    colour_distance: float
    gap_darkness: float
    gap_share: float
    gap_cover: float
    sticking_out: float
    beyond_lab: FloatArray
    wood_lab: FloatArray

    @property
    def shows_team(self) -> bool:
        """Whether what is seen inside has a team's colour."""
        return self.colour_distance < _TEAM_COLOUR_LAB

    @property
    def leans(self) -> bool:
        """Whether a disc sticks out of the hole."""
        return self.sticking_out > _LEANING_SHARE

    @property
    def holds_disc(self) -> bool:
        """Whether a disc lies flat in the hole."""
        dark = self.gap_share > _GAP_DARKER_SHARE and self.gap_darkness > _GAP_DARKER_L
        all_round = self.gap_cover > _GAP_ON_ONE_SIDE
        shaded = self.colour_distance < _SHADED_COLOUR_LAB and self.gap_darkness > _BLACK_GAP_L
        return dark and all_round and (self.shows_team or shaded) and not self.leans

    @property
    def is_doubtful(self) -> bool:
        """Whether a disc may lie or lean in the hole: a gap of a sort round a team's colour."""
        gap = self.gap_darkness > _GAP_DARKER_L
        some = _GAP_ON_HALF < self.gap_cover < _GAP_ALL_ROUND
        return self.shows_team and gap and some and not self.leans

    def shows_leaning(self, off_hole_mm: FloatArray, team_lab: FloatArray) -> np.ndarray:
        """Which circles, ``off_hole_mm`` (n, 2) from the hole's centre, of colours ``team_lab``
        (n, 3), cover the wood beyond the rim on their side: (n,) bool."""
        away = np.maximum(np.linalg.norm(off_hole_mm, axis=-1, keepdims=True), 1e-9)
        on_side = (off_hole_mm / away) @ _directions().T > _SAME_SIDE
        is_disc = np.array([_is_disc(self.beyond_lab, lab, self.wood_lab) for lab in team_lab])
        is_disc = is_disc.reshape(on_side.shape)
        return (on_side & is_disc).mean(axis=1) > _LEANING_SHARE


def look_into_hole(
    picture: Picture, spec: BoardSpec, radius_mm: float, teams_lab: FloatArray
) -> HoleLook:
    """What lies over the hole of a board whose discs have ``radius_mm``."""
    rim_mm = _rim_radius(spec.hole_radius_mm, radius_mm)
    radii = np.arange(0.2 * radius_mm, rim_mm + _WOOD_MM[1], 0.5)
    lab = _rings(picture, spec, radii)
    face = np.median(lab[radii < 0.7 * radius_mm].reshape(-1, 3), axis=0)
    darkness, share, cover = _gap(lab[..., 0], radii, radius_mm, rim_mm)
    rim = (radii > rim_mm + _STICKING_OUT_MM[0]) & (radii < rim_mm + _STICKING_OUT_MM[1])
    beyond = np.median(lab[rim], axis=0)
    wood = np.median(lab[radii > rim_mm + _WOOD_MM[0]].reshape(-1, 3), axis=0)
    team, distance, covered = -1, float("inf"), np.zeros(_DIRECTIONS, dtype=bool)
    if len(teams_lab) > 0:
        nearest, gap = nearest_team(face[None], teams_lab)
        team, distance = int(nearest[0]), float(gap[0])
        covered = _is_disc(beyond, teams_lab[team], wood)
    return HoleLook(
        team=team,
        colour_distance=distance,
        gap_darkness=darkness,
        gap_share=share,
        gap_cover=cover,
        sticking_out=float(covered.mean()),
        beyond_lab=beyond,
        wood_lab=wood,
    )


def _rim_radius(measured_mm: float, disc_mm: float) -> float:
    """The hole's radius: as measured, unless that was the rim of a disc inside it."""
    if abs(measured_mm - disc_mm) < _LEAST_PLAY_MM:
        return disc_mm + _USUAL_PLAY_MM
    return measured_mm


def _directions() -> FloatArray:
    """Unit vectors (k, 2) all round."""
    angle = np.arange(_DIRECTIONS) * (2 * np.pi / _DIRECTIONS)
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def _rings(picture: Picture, spec: BoardSpec, radii_mm: FloatArray) -> FloatArray:
    """Weighted Lab (n, k, 3) on circles about the hole, at the surface."""
    points = np.zeros((len(radii_mm), _DIRECTIONS, 3))
    points[..., :2] = np.array(spec.hole_centre_mm) + radii_mm[:, None, None] * _directions()
    return weighted_lab(sample(picture.image, picture.view, points))


def _gap(
    lightness: FloatArray, radii_mm: FloatArray, radius_mm: float, rim_mm: float
) -> tuple[float, float, float]:
    """How much darker a gap runs round than what lies beside it: in L and as a share (medians),
    and in what share of the directions it is seen."""
    in_gap = (radii_mm > min(radius_mm, rim_mm) - 2.0) & (radii_mm < rim_mm + 0.8)
    inside = (radii_mm > 0.55 * radius_mm) & (radii_mm < 0.85 * radius_mm)
    outside = (radii_mm > rim_mm + 1.5) & (radii_mm < rim_mm + 4.0)
    beside = np.minimum(np.median(lightness[inside], axis=0), np.median(lightness[outside], axis=0))
    darker = beside - lightness[in_gap].min(axis=0)
    share = darker / np.maximum(beside, 1.0)
    seen = share > _GAP_SEEN_SHARE
    return float(np.median(darker)), float(np.median(share)), float(seen.mean())


def _is_disc(lab: FloatArray, team_lab: FloatArray, wood_lab: FloatArray) -> np.ndarray:
    """Which colours (n, 3) are a team's rather than the wood's: (n,) bool."""
    to_team = np.linalg.norm(lab - team_lab, axis=-1)
    to_wood = np.linalg.norm(lab - wood_lab, axis=-1)
    return to_team < np.minimum(to_wood, _SHADED_COLOUR_LAB)
