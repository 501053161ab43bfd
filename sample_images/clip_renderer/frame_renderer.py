"""Frames from specifications: objects at rest are drawn once, and moving objects over them,
blurred.

A moving object is drawn at several moments of the open shutter, whose mean is the frame (like an
accumulation buffer); only the affected patches are drawn again. Then the camera's effects are
added: gain, balance and noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import cv2
import numpy as np

from calibration.pose import View
from sample_images.clip_renderer.background import paint_background, table_height_mm
from sample_images.clip_renderer.canvas import (
    Patch,
    blend,
    hull_cover,
    patch_around,
    soften,
    whole_patch,
)
from sample_images.clip_renderer.hand import cast_hand_shadow, draw_hand, hand_patch
from sample_images.clip_renderer.scene import (
    FrameSpec,
    Moment,
    Person,
    ShadowBand,
    StaticScene,
    SunPatch,
)
from sample_images.clip_renderer.solids import (
    Solid,
    cast_shadow,
    disc_solid,
    draw_solid,
    post_solids,
    solid_patch,
    visibility_mask,
)
from sample_images.renderer.scene import Disc

_Drawing = Callable[[np.ndarray, Patch, StaticScene, View, Solid], None]

#: Height of a sitting person's shoulders above the table, and the width of their shadow.
_PERSON_MM, _PERSON_SHADOW_PX = 120.0, 22.0
#: Pictures of noise that frames choose from, each also shifted.
_NOISES = 6


class FrameRenderer:
    """Renders the frames of one film: the same specifications and seed give the same frames."""

    def __init__(
        self,
        scene: StaticScene,
        size: tuple[int, int],
        *,
        noise: float = 2.0,
        vignette: float = 0.12,
    ) -> None:
        """``size`` is (width, height); ``noise`` one standard deviation in levels of 255."""
        self.scene, self.size = scene, size
        self._rng = np.random.default_rng((scene.seed, 77))
        self._noise = (
            [_generate_noise(self._rng, size, noise) for _ in range(_NOISES)] if noise else []
        )
        self._vignette = _vignette(size, vignette)
        self._posts = post_solids(scene.board)
        self._backgrounds: dict[bytes, np.ndarray] = {}
        self._still: tuple[bytes, tuple[Disc, ...], np.ndarray] | None = None

    def render_frame(self, spec: FrameSpec) -> np.ndarray:
        """The frame (h, w, 3), 8-bit, blue first."""
        always = _find_static_discs(spec.moments)
        still = self._still_picture(spec.view, always)
        frame = self._blur_motion(spec, always, still)
        return self._apply_exposure(frame, spec)

    def _background(self, view: View) -> np.ndarray:
        key = _view_key(view)
        if key not in self._backgrounds:
            if len(self._backgrounds) > 4:
                self._backgrounds.pop(next(iter(self._backgrounds)))
            background = paint_background(self.scene, view, self.size)
            self._backgrounds[key] = background * self._vignette[..., None]
        return self._backgrounds[key]

    def _still_picture(self, view: View, discs: tuple[Disc, ...]) -> np.ndarray:
        key = _view_key(view)
        if self._still is None or self._still[:2] != (key, discs):
            picture = self._background(view).copy()
            self._draw_solids(picture, whole_patch(picture), view, discs)
            self._still = (key, discs, picture)
        return self._still[2]

    def _blur_motion(
        self, spec: FrameSpec, always: tuple[Disc, ...], still: np.ndarray
    ) -> np.ndarray:
        """The still picture, with the mean of all moments in moving parts.

        People move slowly, so they are drawn once per frame.
        """
        if spec.moments[0].people:
            still = still.copy()
            self._draw_people(still, whole_patch(still), spec.view, spec.moments[0])
        moments = [spec.moments[0]] if len(set(spec.moments)) == 1 else list(spec.moments)
        patches = [self._moving_patch(spec.view, moment, always) for moment in moments]
        dirty = [patch for patch in patches if patch is not None]
        if not dirty:
            return still.copy()
        patch = dirty[0]
        for other in dirty[1:]:
            patch = patch.union(other)
        patch = patch.intersect(whole_patch(still))
        frame = still.copy()
        if patch.is_empty:
            return frame
        total = np.zeros((*patch.shape, 3), np.float32)
        for moment in moments:
            total += self._draw_patch(spec.view, moment, always, patch, still) ** 2
        patch.of(frame)[:] = np.sqrt(total / len(moments))
        return frame

    def _moving_patch(self, view: View, moment: Moment, always: tuple[Disc, ...]) -> Patch | None:
        patches = [
            solid_patch(self.scene, view, disc_solid(self.scene, disc))
            for disc in moment.discs
            if disc not in always
        ]
        patches += [hand_patch(self.scene, view, hand) for hand in moment.hands]
        if not patches:
            return None
        patch = patches[0]
        for other in patches[1:]:
            patch = patch.union(other)
        return patch

    def _draw_patch(
        self,
        view: View,
        moment: Moment,
        always: tuple[Disc, ...],
        patch: Patch,
        still: np.ndarray,
    ) -> np.ndarray:
        """The patch's pixels at one moment."""
        held = [disc for disc in moment.discs if disc.state == "held"]
        lying = tuple(disc for disc in moment.discs if disc.state != "held")
        if set(lying) == set(always):
            picture = patch.of(still).copy()
        else:
            picture = patch.of(self._background(view)).copy()
            self._draw_solids(picture, patch, view, lying)
            self._draw_people(picture, patch, view, moment)
        self._draw_solids(picture, patch, view, tuple(held), posts=False)
        for hand in moment.hands:
            part = hand_patch(self.scene, view, hand).intersect(patch)
            if not part.is_empty:
                inside = _to_local(part, patch).of(picture)
                cast_hand_shadow(inside, part, self.scene, view, hand)
                draw_hand(inside, part, self.scene, view, hand)
        return picture

    def _draw_solids(
        self,
        picture: np.ndarray,
        patch: Patch,
        view: View,
        discs: tuple[Disc, ...],
        *,
        posts: bool = True,
    ) -> None:
        """Draw discs and posts, farther ones first, into the patch's pixels."""
        solids = [disc_solid(self.scene, disc) for disc in discs]
        if posts:
            solids += self._posts
        eye = view.cam_from_board.camera_board_mm
        solids.sort(key=lambda solid: -float(np.linalg.norm(solid.middle - eye)))
        parts = [(solid, solid_patch(self.scene, view, solid).intersect(patch)) for solid in solids]
        parts = [(body, part) for body, part in parts if not part.is_empty]
        for body, part in parts:
            self._draw(cast_shadow, _to_local(part, patch).of(picture), part, view, body)
        for body, part in parts:
            self._draw(draw_solid, _to_local(part, patch).of(picture), part, view, body)

    def _draw(
        self, how: _Drawing, picture: np.ndarray, part: Patch, view: View, solid: Solid
    ) -> None:
        """Draw a body or its shadow, darkened by the lens at that place."""
        before = picture.copy()
        how(picture, part, self.scene, view, solid)
        if how is draw_solid:
            changed = np.any(picture != before, axis=-1)
            picture[changed] *= part.of(self._vignette)[changed][:, None]
        seen = visibility_mask(part, view, solid)
        if seen is not None:
            picture[:] = before + seen[..., None] * (picture - before)

    def _draw_people(self, picture: np.ndarray, patch: Patch, view: View, moment: Moment) -> None:
        for person in moment.people:
            px = self._outline(view, person)
            part = patch_around(px, 3 * _PERSON_SHADOW_PX).intersect(patch)
            if not part.is_empty:
                _draw_person(_to_local(part, patch).of(picture), part, px, person)

    def _outline(self, view: View, person: Person) -> np.ndarray:
        """Pixels (n, 2) of a person's outline."""
        turn = math.radians(person.turn_deg)
        angle = np.arange(60) * (2 * np.pi / 60)
        own = np.stack([np.cos(angle), np.sin(angle)], axis=-1) * person.radii_mm
        c, s = math.cos(turn), math.sin(turn)
        outline = own @ np.array([[c, s], [-s, c]]) + person.centre_mm
        return view.project_plane(outline, table_height_mm(self.scene.board) + _PERSON_MM)

    def _apply_exposure(self, frame: np.ndarray, spec: FrameSpec) -> np.ndarray:
        if spec.shade is not None:
            frame *= _shadow_light(spec.view, spec.shade, self.size)[..., None]
        if spec.sun is not None:
            frame *= _sunlight(spec.view, spec.sun, self.size)[..., None]
        warmth = spec.gain * np.array(spec.balance[::-1], np.float32)
        warmth = warmth * np.array(self.scene.light.rgb[::-1], np.float32)
        if not np.allclose(warmth, 1.0):
            frame *= warmth
        picture = cv2.convertScaleAbs(np.clip(frame, 0, 255))
        if self._noise:
            more, less = self._noise[int(self._rng.integers(_NOISES))]
            shift = int(self._rng.integers(0, self.size[1]))
            picture = cv2.add(picture, np.roll(more, shift, axis=0))
            picture = cv2.subtract(picture, np.roll(less, shift, axis=0))
        if spec.graphic:
            _draw_graphic(picture, spec.graphic)
        return picture


def _draw_person(picture: np.ndarray, patch: Patch, px: np.ndarray, person: Person) -> None:
    """Draw a person whose outline is at pixels (n, 2); ``picture`` is the patch's pixels."""
    cover = hull_cover(patch, px, 1)
    picture *= 1 - 0.35 * soften(cover, _PERSON_SHADOW_PX)[..., None]
    blend(picture, 255 * np.array(person.rgb[::-1], np.float32), soften(cover, 1.2))


def _find_static_discs(moments: Sequence[Moment]) -> tuple[Disc, ...]:
    """Discs that never move, in their order."""
    others = [set(moment.discs) for moment in moments[1:]]
    return tuple(
        disc
        for disc in moments[0].discs
        if disc.state != "held" and all(disc in other for other in others)
    )


def _view_key(view: View) -> bytes:
    pose, lens = view.cam_from_board, view.camera
    numbers = (lens.fx_px, lens.fy_px, lens.cx_px, lens.cy_px, lens.k1, lens.k2)
    return np.concatenate([pose.rotation.ravel(), pose.translation_mm, numbers]).tobytes()


def _to_local(part: Patch, patch: Patch) -> Patch:
    """A patch in the coordinates of another that contains it."""
    return Patch(
        part.left - patch.left,
        part.top - patch.top,
        part.right - patch.left,
        part.bottom - patch.top,
    )


def _generate_noise(
    rng: np.random.Generator, size: tuple[int, int], sigma: float
) -> tuple[np.ndarray, np.ndarray]:
    """Noise (h, w, 3) as its additions and its subtractions, smoothed as in phones."""
    width, height = size
    grey = rng.standard_normal((height, width, 1)).astype(np.float32)
    colour = rng.standard_normal((height, width, 3)).astype(np.float32)
    fine = cv2.GaussianBlur(0.8 * grey + 0.6 * colour, (0, 0), 0.6) * (1.7 * sigma)
    level = np.round(fine)
    return np.maximum(level, 0).astype(np.uint8), np.maximum(-level, 0).astype(np.uint8)


def _vignette(size: tuple[int, int], strength: float) -> np.ndarray:
    width, height = size
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    return (1 - strength * 0.5 * (x * x + y * y)).astype(np.float32)


def _shadow_light(view: View, shade: ShadowBand, size: tuple[int, int]) -> np.ndarray:
    """Light (h, w) left by a soft band of shadow, drawn coarsely because it is soft."""
    small = (size[0] // 8, size[1] // 8)
    x, y = np.meshgrid(np.arange(small[0]) * 8 + 3.5, np.arange(small[1]) * 8 + 3.5)
    xy = view.unproject_plane(np.stack([x, y], axis=-1).reshape(-1, 2))
    turn = math.radians(shade.turn_deg)
    along = xy[:, 0] * math.cos(turn) + xy[:, 1] * math.sin(turn) - shade.offset_mm
    edge = np.clip((shade.width_mm / 2 - np.abs(along)) / 120 + 0.5, 0, 1)
    light = 1 - shade.strength * (edge * edge * (3 - 2 * edge))
    return cv2.resize(light.reshape(small[::-1]).astype(np.float32), size)


def _sunlight(view: View, sun: SunPatch, size: tuple[int, int]) -> np.ndarray:
    """Light (h, w) with a patch of sun in it; standing objects are lit like the table under
    them.
    """
    px = view.project_plane(np.array(sun.corners_mm))
    cover = hull_cover(Patch(0, 0, *size), px, 1)
    return 1 + sun.strength * soften(cover, sun.softness_mm / view.mm_per_px())


def _draw_graphic(picture: np.ndarray, lines: tuple[str, ...]) -> None:
    """A broadcaster's score over the lower left corner."""
    height = picture.shape[0]
    size = height / 720
    box_height, box_width = round(34 * size), round(330 * size)
    left, top = round(28 * size), height - round(30 * size) - box_height * len(lines)
    for row, line in enumerate(lines):
        y = top + row * box_height
        corner = (left + box_width, y + box_height - 2)
        cv2.rectangle(picture, (left, y), corner, (52, 34, 24) if row % 2 else (30, 24, 20), -1)
        cv2.rectangle(picture, (left, y), (left + round(8 * size), corner[1]), (60, 160, 235), -1)
        place = (left + round(20 * size), y + round(24 * size))
        cv2.putText(
            picture, line, place, cv2.FONT_HERSHEY_SIMPLEX, 0.7 * size, (240, 240, 240),
            max(1, round(1.6 * size)), cv2.LINE_AA,
        )  # fmt: skip
