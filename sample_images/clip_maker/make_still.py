"""A still of a board at any tilt, from a seed, with its truth: the basis of films' frames.

Board, discs, colours, light and table come from the same ranges as clips', with discs as at the end
of a round; ``make_two_stills`` draws one board as two cameras see it. There may be a hand on the
rail or a window's reflection. The camera trembles, blurs, adds noise and compresses, like phones
and tournament videos.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.board import SCALE_RADIUS_MM
from calibration.pose import View
from sample_images.clip_maker.options import ClipOptions
from sample_images.clip_maker.play.scene_generator import ClipSetup, generate_setup, place_camera
from sample_images.clip_renderer.frame_renderer import FrameRenderer
from sample_images.clip_renderer.scene import FrameSpec, Hand, Moment
from sample_images.renderer.generate.choices import Rng, SceneOptions
from sample_images.renderer.generate.layout import Layout
from sample_images.renderer.generate.rounds import generate_round
from sample_images.renderer.picture_truth import TrueDisc, Truth
from sample_images.renderer.scene import Disc
from sample_images.renderer.truth import clearances_mm, zone_value

#: Size of the pictures, that of tournament films.
SIZE_PX = (1280, 720)
#: Discs must be seen whole, this far within the picture, px.
_BORDER_PX = 4.0
#: Places farther apart than this do not belong to the same disc, mm: not quite a radius.
_GATE_MM = 14.0
#: Colours of skins and sleeves.
_SKINS = ((0.80, 0.60, 0.48), (0.55, 0.38, 0.28), (0.90, 0.74, 0.64))
_SLEEVES = ((0.15, 0.17, 0.25), (0.75, 0.75, 0.72), (0.45, 0.12, 0.12))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Still:
    """A picture (h, w, 3) BGR uint8 as decoded, its truth, and the view of it."""

    image: np.ndarray
    truth: Truth
    view: View


def make_still(seed: int, tilt_deg: float, size: tuple[int, int] = SIZE_PX) -> Still:
    """The still of a seed at ``tilt_deg`` off the board's normal; ``size`` in px."""
    rng = np.random.default_rng((seed, round(tilt_deg * 10)))
    options = _choose_options(rng, tilt_deg, size)
    setup = generate_setup(rng, options, seed)
    discs = _lay_discs(rng, setup, (setup.view,), size)
    return _take_still(rng, setup, options, discs)


def make_two_stills(
    seed: int,
    tilts_deg: tuple[float, float],
    turn_deg: float,
    size: tuple[int, int] = SIZE_PX,
) -> tuple[Still, Still]:
    """One board of a seed as two cameras see it at the same moment.

    tilts_deg  of both views off the board's normal
    turn_deg   the second camera's turn around the board, counter-clockwise

    All discs are at places that both cameras see. The cameras have their own noise, exposure and
    focus.
    """
    rng = np.random.default_rng((seed, *(round(tilt_deg * 10) for tilt_deg in tilts_deg)))
    first, second = (_choose_options(rng, tilt_deg, size) for tilt_deg in tilts_deg)
    setup = generate_setup(rng, first, seed)
    other = turn_view(place_camera(rng, second, setup.scene.board), math.radians(turn_deg))
    discs = _lay_discs(rng, setup, (setup.view, other), size)
    return (
        _take_still(rng, setup, first, discs),
        _take_still(rng, replace(setup, view=other), second, discs),
    )


def turn_view(view: View, angle_rad: float) -> View:
    """The view of a camera that was moved counter-clockwise around the board by ``angle_rad``."""
    cos, sin = math.cos(angle_rad), math.sin(angle_rad)
    turned_from_board = np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    pose = view.cam_from_board
    return replace(view, cam_from_board=replace(pose, rotation=pose.rotation @ turned_from_board))


def _choose_options(rng: Rng, tilt_deg: float, size: tuple[int, int]) -> ClipOptions:
    """The required content of such a still."""
    return ClipOptions(
        looks=SceneOptions(),
        hard_colours=bool(rng.uniform() < 0.2),
        size=size,
        tilt_deg=float(tilt_deg),
        roll_deg=float(rng.normal(0, 2)),
        fill=float(rng.uniform(0.7, 0.97)),
        glare=bool(rng.uniform() < 0.3),
        noise=float(rng.uniform(1.0, 4.0)),
    )


def _take_still(rng: Rng, setup: ClipSetup, options: ClipOptions, discs: tuple[Disc, ...]) -> Still:
    """The setup's camera's picture of the discs, and its truth."""
    renderer = FrameRenderer(
        setup.scene, options.size, noise=options.noise, vignette=float(rng.uniform(0.0, 0.5))
    )
    hands = (_lay_hand(rng, setup),) if rng.uniform() < 0.3 else ()
    image = renderer.render_frame(
        FrameSpec(
            view=setup.view,
            moments=(Moment(discs=discs, hands=hands),),
            gain=float(rng.uniform(0.55, 1.1)),
        )
    )
    tilt_deg = setup.view.cam_from_board.tilt_deg
    return Still(
        image=_compress(rng, image), truth=_tell_truth(setup, discs, tilt_deg), view=setup.view
    )


def _lay_discs(
    rng: Rng, setup: ClipSetup, views: tuple[View, ...], size: tuple[int, int]
) -> tuple[Disc, ...]:
    """Discs as at the end of a round, all of them in the picture of every view."""

    def is_visible(point_mm: np.ndarray) -> bool:
        px = np.concatenate([view.project(point_mm[None]) for view in views])
        return bool((px > _BORDER_PX).all() and (px < np.array(size) - _BORDER_PX).all())

    layout = Layout(
        board=setup.scene.board,
        shape=setup.scene.shape,
        teams=tuple(setup.teams.values()),
        rng=rng,
        visible=is_visible,
    )
    kind = "few" if rng.uniform() < 0.4 else "some"
    return generate_round(rng, layout, SceneOptions(round_kind=kind))


def _lay_hand(rng: Rng, setup: ClipSetup) -> Hand:
    """A hand that rests beyond the playing surface, with its fingers towards the board."""
    azimuth = float(rng.uniform(0, 2 * math.pi))
    reach = setup.scene.board.playing_radius + float(rng.uniform(25, 60))
    return Hand(
        shape="flat",
        tip_mm=(reach * math.cos(azimuth), reach * math.sin(azimuth), 8.0),
        azimuth_rad=azimuth + math.pi,
        skin=_SKINS[rng.integers(len(_SKINS))],
        sleeve=_SLEEVES[rng.integers(len(_SLEEVES))],
    )


def _compress(rng: Rng, image: np.ndarray) -> np.ndarray:
    """The picture out of focus by up to a pixel, and compressed as JPEG."""
    light = cv2.GaussianBlur(image.astype(np.float32) ** 2, (0, 0), float(rng.uniform(0.3, 1.1)))
    soft = np.rint(np.sqrt(light)).astype(np.uint8)
    quality = int(rng.integers(55, 95))
    code = cv2.imencode(".jpg", soft, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR))


def _tell_truth(setup: ClipSetup, discs: tuple[Disc, ...], tilt_deg: float) -> Truth:
    told = [_tell_disc(setup, disc) for disc in discs if disc.state != "ditch"]
    teams = set(setup.teams.values())
    shape, view = setup.scene.shape, setup.view
    return Truth(
        discs=tuple(told),
        totals={team: sum(disc.zone for disc in told if disc.team == team) for team in teams},
        has_board=True,
        is_metric=True,
        gate=_GATE_MM,
        tilt_deg=tilt_deg,
        disc_px=2 * shape.radius / view.mm_per_px(),
    )


def _tell_disc(setup: ClipSetup, disc: Disc) -> TrueDisc:
    board, shape = setup.scene.board, setup.scene.shape
    scale = SCALE_RADIUS_MM / board.line_radii[1]
    x, y, _ = disc.position
    clear = clearances_mm(board, shape.bottom_radius, x, y)
    on_lines = disc.state in ("flat", "overhanging")
    return TrueDisc(
        team=disc.colour,
        zone={"in_hole": 20, "leaning": 15}.get(disc.state) or zone_value(clear),
        place=(x * scale, y * scale),
        is_flat=disc.state == "flat",
        margin_mm=scale * min(abs(margin) for margin in clear) if on_lines else None,
        line_margins_mm=tuple(scale * margin for margin in clear),
    )
