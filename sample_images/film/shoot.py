"""Frames from takes: what stands still is drawn once, what moves is drawn over it, and blurred.

Knows which parts of a frame must be drawn again, and what a camera does to a picture. Refuses to
know files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import cv2
import numpy as np

from calibration.pose import View
from sample_images.film.canvas import Patch, hull_cover, lay, patch_around, softened, whole
from sample_images.film.hand import cast_hand_shadow, draw_hand, hand_patch
from sample_images.film.plate import paint_plate, table_height_mm
from sample_images.film.scene import Moment, Person, Shade, Stage, Sun, Take
from sample_images.film.solids import (
    Solid,
    cast_shadow,
    disc_solid,
    draw_solid,
    post_solids,
    seen_part,
    solid_patch,
)
from sample_images.renderer.scene import Disc

_Drawing = Callable[[np.ndarray, Patch, Stage, View, Solid], None]

#: Shoulders of somebody who sits are so far above the table; their shadow's width.
_PERSON_MM, _PERSON_SHADOW_PX = 120.0, 22.0
#: Pictures of noise that frames choose from, each also shifted.
_NOISES = 6


class Camera:
    """A camera that shoots one film: the same takes and seed give the same frames."""

    def __init__(
        self, stage: Stage, size: tuple[int, int], *, noise: float = 2.0, vignette: float = 0.12
    ) -> None:
        """``size`` is (width, height); ``noise`` one standard deviation in levels of 255."""
        self.stage, self.size = stage, size
        self._rng = np.random.default_rng((stage.seed, 77))
        self._noise = [_noise_pair(self._rng, size, noise) for _ in range(_NOISES)] if noise else []
        self._vignette = _vignette(size, vignette)
        self._posts = post_solids(stage.board)
        self._plates: dict[bytes, np.ndarray] = {}
        self._still: tuple[bytes, tuple[Disc, ...], np.ndarray] | None = None

    def shoot(self, take: Take) -> np.ndarray:
        """The frame (h, w, 3), 8-bit, blue first."""
        always = _in_all(take.moments)
        still = self._still_picture(take.view, always)
        frame = self._blurred(take, always, still)
        return self._developed(frame, take)

    def _plate(self, view: View) -> np.ndarray:
        key = _key(view)
        if key not in self._plates:
            if len(self._plates) > 4:
                self._plates.pop(next(iter(self._plates)))
            plate = paint_plate(self.stage, view, self.size)
            self._plates[key] = plate * self._vignette[..., None]
        return self._plates[key]

    def _still_picture(self, view: View, discs: tuple[Disc, ...]) -> np.ndarray:
        key = _key(view)
        if self._still is None or self._still[:2] != (key, discs):
            picture = self._plate(view).copy()
            self._draw_solids(picture, whole(picture), view, discs)
            self._still = (key, discs, picture)
        return self._still[2]

    def _blurred(self, take: Take, always: tuple[Disc, ...], still: np.ndarray) -> np.ndarray:
        """The still picture with the mean of all moments wherever something moves.

        People move slowly: they are drawn once a frame.
        """
        if take.moments[0].people:
            still = still.copy()
            self._draw_people(still, whole(still), take.view, take.moments[0])
        moments = [take.moments[0]] if len(set(take.moments)) == 1 else list(take.moments)
        patches = [self._moving_patch(take.view, each, always) for each in moments]
        dirty = [each for each in patches if each is not None]
        if not dirty:
            return still.copy()
        patch = dirty[0]
        for each in dirty[1:]:
            patch = patch.joined(each)
        patch = patch.within(whole(still))
        frame = still.copy()
        if patch.is_empty:
            return frame
        total = np.zeros((*patch.shape, 3), np.float32)
        for moment in moments:
            total += self._patch_at(take.view, moment, always, patch, still)
        patch.of(frame)[:] = total / len(moments)
        return frame

    def _moving_patch(self, view: View, moment: Moment, always: tuple[Disc, ...]) -> Patch | None:
        patches = [
            solid_patch(self.stage, view, disc_solid(self.stage, disc))
            for disc in moment.discs
            if disc not in always
        ]
        patches += [hand_patch(self.stage, view, hand) for hand in moment.hands]
        if not patches:
            return None
        patch = patches[0]
        for each in patches[1:]:
            patch = patch.joined(each)
        return patch

    def _patch_at(
        self,
        view: View,
        moment: Moment,
        always: tuple[Disc, ...],
        patch: Patch,
        still: np.ndarray,
    ) -> np.ndarray:
        """The patch's pixels at one moment."""
        held = [each for each in moment.discs if each.state == "held"]
        lying = tuple(each for each in moment.discs if each.state != "held")
        if set(lying) == set(always):
            picture = patch.of(still).copy()
        else:
            picture = patch.of(self._plate(view)).copy()
            self._draw_solids(picture, patch, view, lying)
            self._draw_people(picture, patch, view, moment)
        self._draw_solids(picture, patch, view, tuple(held), posts=False)
        for hand in moment.hands:
            part = hand_patch(self.stage, view, hand).within(patch)
            if not part.is_empty:
                inside = _local(part, patch).of(picture)
                cast_hand_shadow(inside, part, self.stage, view, hand)
                draw_hand(inside, part, self.stage, view, hand)
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
        """Draw discs and posts, the farther before the nearer, into the patch's pixels."""
        solids = [disc_solid(self.stage, each) for each in discs]
        if posts:
            solids += self._posts
        eye = view.cam_from_board.camera_board_mm
        solids.sort(key=lambda each: -float(np.linalg.norm(each.middle - eye)))
        parts = [(each, solid_patch(self.stage, view, each).within(patch)) for each in solids]
        parts = [(each, part) for each, part in parts if not part.is_empty]
        for each, part in parts:
            self._draw(cast_shadow, _local(part, patch).of(picture), part, view, each)
        for each, part in parts:
            self._draw(draw_solid, _local(part, patch).of(picture), part, view, each)

    def _draw(
        self, how: _Drawing, picture: np.ndarray, part: Patch, view: View, solid: Solid
    ) -> None:
        """Draw a body or its shadow where it is seen, as dark as the lens is there."""
        before = picture.copy()
        how(picture, part, self.stage, view, solid)
        if how is draw_solid:
            changed = np.any(picture != before, axis=-1)
            picture[changed] *= part.of(self._vignette)[changed][:, None]
        seen = seen_part(part, view, solid)
        if seen is not None:
            picture[:] = before + seen[..., None] * (picture - before)

    def _draw_people(self, picture: np.ndarray, patch: Patch, view: View, moment: Moment) -> None:
        for person in moment.people:
            px = self._outline(view, person)
            part = patch_around(px, 3 * _PERSON_SHADOW_PX).within(patch)
            if not part.is_empty:
                _draw_person(_local(part, patch).of(picture), part, px, person)

    def _outline(self, view: View, person: Person) -> np.ndarray:
        """Pixels (n, 2) of a person's outline."""
        turn = math.radians(person.turn_deg)
        angle = np.arange(60) * (2 * np.pi / 60)
        own = np.stack([np.cos(angle), np.sin(angle)], axis=-1) * person.radii_mm
        c, s = math.cos(turn), math.sin(turn)
        outline = own @ np.array([[c, s], [-s, c]]) + person.centre_mm
        return view.project_plane(outline, table_height_mm(self.stage.board) + _PERSON_MM)

    def _developed(self, frame: np.ndarray, take: Take) -> np.ndarray:
        if take.shade is not None:
            frame *= _shade(take.view, take.shade, self.size)[..., None]
        if take.sun is not None:
            frame *= _sunlight(take.view, take.sun, self.size)[..., None]
        warmth = take.gain * np.array(take.balance[::-1], np.float32)
        warmth = warmth * np.array(self.stage.light.rgb[::-1], np.float32)
        if not np.allclose(warmth, 1.0):
            frame *= warmth
        picture = cv2.convertScaleAbs(np.clip(frame, 0, 255))
        if self._noise:
            more, less = self._noise[int(self._rng.integers(_NOISES))]
            shift = int(self._rng.integers(0, self.size[1]))
            picture = cv2.add(picture, np.roll(more, shift, axis=0))
            picture = cv2.subtract(picture, np.roll(less, shift, axis=0))
        if take.graphic:
            _draw_graphic(picture, take.graphic)
        return picture


def _draw_person(picture: np.ndarray, patch: Patch, px: np.ndarray, person: Person) -> None:
    """Draw somebody whose outline is at pixels (n, 2); ``picture`` is the patch's pixels."""
    cover = hull_cover(patch, px, 1)
    picture *= 1 - 0.35 * softened(cover, _PERSON_SHADOW_PX)[..., None]
    lay(picture, 255 * np.array(person.rgb[::-1], np.float32), softened(cover, 1.2))


def _in_all(moments: Sequence[Moment]) -> tuple[Disc, ...]:
    """Discs that lie at the same place all the time, in their order."""
    others = [set(each.discs) for each in moments[1:]]
    return tuple(
        disc
        for disc in moments[0].discs
        if disc.state != "held" and all(disc in other for other in others)
    )


def _key(view: View) -> bytes:
    pose, lens = view.cam_from_board, view.camera
    numbers = (lens.fx_px, lens.fy_px, lens.cx_px, lens.cy_px, lens.k1, lens.k2)
    return np.concatenate([pose.rotation.ravel(), pose.translation_mm, numbers]).tobytes()


def _local(part: Patch, patch: Patch) -> Patch:
    """A patch in the coordinates of another that holds it."""
    return Patch(
        part.left - patch.left,
        part.top - patch.top,
        part.right - patch.left,
        part.bottom - patch.top,
    )


def _noise_pair(
    rng: np.random.Generator, size: tuple[int, int], sigma: float
) -> tuple[np.ndarray, np.ndarray]:
    """Noise (h, w, 3) as what it adds and what it takes away, smoothed as phones do."""
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


def _shade(view: View, shade: Shade, size: tuple[int, int]) -> np.ndarray:
    """Light (h, w) that a soft band of shadow leaves; drawn coarsely, for it is soft."""
    small = (size[0] // 8, size[1] // 8)
    x, y = np.meshgrid(np.arange(small[0]) * 8 + 3.5, np.arange(small[1]) * 8 + 3.5)
    xy = view.lift(np.stack([x, y], axis=-1).reshape(-1, 2))
    turn = math.radians(shade.turn_deg)
    along = xy[:, 0] * math.cos(turn) + xy[:, 1] * math.sin(turn) - shade.offset_mm
    edge = np.clip((shade.width_mm / 2 - np.abs(along)) / 120 + 0.5, 0, 1)
    light = 1 - shade.strength * (edge * edge * (3 - 2 * edge))
    return cv2.resize(light.reshape(small[::-1]).astype(np.float32), size)


def _sunlight(view: View, sun: Sun, size: tuple[int, int]) -> np.ndarray:
    """Light (h, w) with a patch of sun in it; what stands up is lit as the table under it is."""
    px = view.project_plane(np.array(sun.corners_mm))
    cover = hull_cover(Patch(0, 0, *size), px, 1)
    return 1 + sun.strength * softened(cover, sun.softness_mm / view.mm_per_px())


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
