"""A fixed camera's frames → what a referee needs: boards at rest, and what moved between them.

Takes one frame after the other, whatever their source, and says when the board came to rest with
everything that was seen since it last lay still. Knows when it cannot see. Refuses to know rules,
names, and what a change means. Times are seconds of the source.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from calibration.fit import BoardFit
from calibration.pose import View
from calibration.profile import Profile
from vision.at_rest import read_at_rest
from vision.board import NoBoard, find_board
from vision.circles import Circles, find_circles
from vision.colour import nearest_team, team_centres, weighted_lab
from vision.frame import Frame
from vision.hands import find_cover, held
from vision.plate import Laid, Plate, first_plate, lay_on
from vision.registration import moved_view, shift_mm
from vision.sheet import sheet_of
from vision.sights import Blind, Bumped, Found, SceneBegan, Sight
from vision.stillness import Scene, Stillness
from vision.tracks import Tracker
from vision.views import beside_mm, turned_like
from vision.watching import Memory, Stretch, Watch, differing

#: A board that lies this far beside where it was has been moved, mm; registration errs by 0.2.
_BUMPED_MM = 1.0
#: Whatever covers the board without moving for this long is looked at afresh, s.
_COVERED_S = 8.0
#: ... and is told after this, s; it is the same thing while so much of it still covers the board.
_COVER_SAID_S, _SAME_COVER = 2.5, 0.85
#: Where more of the surface than this differs, or the picture has jumped, it may be the board that
#: moved: it is looked at so often, s, and believed when it is so far, mm, twice, within this share.
_MUCH_DIFFERS, _CHECK_EVERY_S, _PLAINLY_BUMPED_MM, _AGREE = 0.08, 0.2, 3.0, 0.1
#: So much of the surface that differs, for so long, s, is another picture altogether.
_ANOTHER_PICTURE, _ANOTHER_PICTURE_S = 0.4, 0.5
#: The view is back when no more of the surface than this differs from it, and none lies beside it.
_HOME_SHARE = 0.25
#: A view that comes after a cut is another camera's, or a replay; when it stays this long, s, the
#: camera itself was moved there.
_ADOPT_S = 12.0
#: Patches of light are looked for this often, s; a circle that is as near to a team's colour as
#: this, weighted Lab, is a disc in one.
_SUN_EVERY_S, _TEAM_LAB = 0.1, 15.0
#: Darkness this long is reported, s; a picture this bright or dark is no darkness, grey levels.
_DARK_S = 0.5
_LIT_GREY = (30.0, 230.0)
#: Frames rarer than this follow no disc, s.
_RARE_S = 0.12
_RARE_FRAMES = 20
#: The last frames of a board at rest are averaged for reading it.
_AVERAGED = 3
#: No-board pictures are searched again after this, doubled each time up to the last, s.
_SEEK_AGAIN_S, _SEEK_LATEST_S = 0.5, 8.0
#: A view that comes after a cut is searched as often as this, s.
_SEEK_ELSEWHERE_S = 1.0


_NO_BOARD_ADVICE = "Point the camera at the whole board from above, and light it evenly."
_DARK = Blind(
    t_s=0.0,
    reason="the picture is too dark or too bright to see the board",
    advice="Uncover the lens or mend the light.",
)
_COVERED = Blind(
    t_s=0.0,
    reason="something that is no disc lies over the board",
    advice="Take it off the board.",
)
_ELSEWHERE = Blind(
    t_s=0.0,
    reason="the picture was cut to another view",
    advice="Refereeing goes on when the first view is back, or this one stays.",
)
_RARE = Blind(
    t_s=0.0,
    reason="the camera sends too few frames a second to follow a disc",
    advice="Give it more light, a lower resolution, or a faster connection: it needs 15 a second.",
)


class Lookout:
    """Watches through one camera. ``profile`` holds the board's and discs' sizes where measured."""

    def __init__(self, profile: Profile | None = None) -> None:
        self._profile = profile
        self._memory = Memory(given=profile.disc if profile else None)
        self._watch: Watch | None = None
        self._home: Watch | None = None
        self._is_moved = False
        self._other: tuple[BoardFit, float] | None = None
        self._blind: Blind | None = None
        self._seek_at_s, self._seek_pause_s = -np.inf, _SEEK_AGAIN_S
        self._scene: Scene | None = None
        self._dark_since_s: float | None = None
        self._images: deque[np.ndarray] = deque(maxlen=_AVERAGED)
        self._times_s: deque[float] = deque(maxlen=_RARE_FRAMES)

    @property
    def fit(self) -> BoardFit | None:
        """The board as it lies in the frames now; None when it is not in sight."""
        return None if self._watch is None else self._watch.fit

    @property
    def radius_mm(self) -> float:
        """The discs' radius as far as it is known."""
        return self._memory.radius_mm

    def take(self, image: np.ndarray, t_s: float) -> Iterator[Sight]:
        """What the frame ``image`` (BGR, uint8) at ``t_s`` adds."""
        self._times_s.append(t_s)
        self._images.append(image)
        if self._watch is not None and self._watch.shape != image.shape:
            self._lose()
        if self._watch is None and self._home is not None:
            yield from self._come_home(self._home, image, t_s)
        if self._watch is None:
            yield from self._seek(image, t_s)
        if self._watch is not None:
            yield from self._follow(self._watch, image, t_s)

    # Finding the board

    def _lose(self) -> None:
        """Lose sight of the board, but not of what was learned of it."""
        self._home = self._watch or self._home
        self._watch, self._other = None, None
        self._seek_at_s, self._seek_pause_s = -np.inf, _SEEK_AGAIN_S

    def _come_home(self, home: Watch, image: np.ndarray, t_s: float) -> Iterator[Sight]:
        """Go on where the view was lost, if this is that view again."""
        if home.shape != image.shape or home.board is None or home.is_stale:
            return
        laid = lay_on(home.plate, home.sheet, home.sheet.lay(image))
        moved_mm = shift_mm(home.sheet, home.plate, laid)
        if differing(home, laid) > _HOME_SHARE or moved_mm is None or moved_mm > _BUMPED_MM:
            return
        yield from self._resume(home, t_s)

    def _resume(self, home: Watch, t_s: float) -> Iterator[Sight]:
        """Go on with a view that was cut away from."""
        self._watch, self._home, self._other, self._is_moved = home, None, None, False
        home.away_since_s, home.stillness = None, Stillness(home.sheet)
        home.stretch = self._stretch(home, t_s)
        home.stretch.jumped = True
        yield from self._see_again(t_s)

    def _seek(self, image: np.ndarray, t_s: float) -> Iterator[Sight]:
        if t_s < self._seek_at_s:
            return
        height, width = image.shape[:2]
        frame = Frame(name="frame", image=image, scale=1.0, width_px=width, height_px=height)
        near = None if self._home is None else self._view_near(self._home, image)
        found = find_board(frame, self._profile, near)
        if isinstance(found, NoBoard):
            self._seek_at_s = t_s + self._seek_pause_s
            self._seek_pause_s = min(2 * self._seek_pause_s, _SEEK_LATEST_S)
            self._other = None
            yield from self._be_blind(Blind(t_s=t_s, reason=found.reason, advice=_NO_BOARD_ADVICE))
            return
        fit = found.fit if self._home is None else turned_like(found.fit, self._home.fit)
        if self._home is not None and self._is_elsewhere(self._home, fit, image, t_s):
            self._seek_at_s = t_s + _SEEK_ELSEWHERE_S
            yield from self._be_blind(_at(_ELSEWHERE, t_s))
            return
        yield from self._settle(fit, image, t_s)

    def _view_near(self, home: Watch, image: np.ndarray) -> View | None:
        """Roughly how the board is seen, when it lies near where it was seen before."""
        if home.shape != image.shape or home.board is None:
            return None
        return moved_view(home.fit.view, home.sheet, home.plate, home.sheet.lay(image))

    def _is_elsewhere(self, home: Watch, fit: BoardFit, image: np.ndarray, t_s: float) -> bool:
        """Whether the picture was cut to another view, which has not stayed for long yet."""
        if home.shape != image.shape or home.board is None or beside_mm(home.fit, fit) is not None:
            return False
        if self._other is None or beside_mm(self._other[0], fit) is None:
            self._other = (fit, t_s)
        return t_s - self._other[1] < _ADOPT_S

    def _settle(self, fit: BoardFit, image: np.ndarray, t_s: float) -> Iterator[Sight]:
        """Watch the board as it lies now."""
        home, self._home, self._other = self._home, None, None
        if home is not None and self._is_home(home, fit, image):
            yield from self._resume(home, t_s)
            return
        older = home.plate if home is not None and home.board is not None else None
        was_lost, self._is_moved = self._is_moved and home is not None, False
        watch = self._begin(fit, image, older)
        if was_lost and home is not None:
            beside = beside_mm(home.fit, fit)
            if beside is None or beside > _BUMPED_MM:
                yield Bumped(t_s=t_s, shift_mm=beside)
            else:  # the light alone has changed
                watch.stretch = self._stretch(watch, t_s)
                watch.stretch.jumped = True
        residual_mm = fit.residual_px * fit.view.mm_per_px()
        yield Found(t_s=t_s, fit=fit, residual_mm=residual_mm, again=home is not None)
        yield from self._see_again(t_s)

    def _is_home(self, home: Watch, fit: BoardFit, image: np.ndarray) -> bool:
        """Whether the board lies where it lay before the picture was cut, in another light."""
        if home.shape != image.shape or home.is_stale or home.away_since_s is None:
            return False
        beside = beside_mm(home.fit, fit)
        if beside is None or beside > _BUMPED_MM:
            return False
        return differing(home, lay_on(home.plate, home.sheet, home.sheet.lay(image))) < (
            _ANOTHER_PICTURE
        )

    def _begin(self, fit: BoardFit, image: np.ndarray, older: Plate | None) -> Watch:
        sheet = sheet_of(fit.view, fit.spec, image.shape)
        nothing = np.ones(sheet.radius_mm.shape, dtype=bool)
        self._watch = Watch(
            fit=fit,
            sheet=sheet,
            plate=first_plate(sheet, sheet.lay(image), nothing),
            stillness=Stillness(sheet),
            shape=image.shape,
            older_plate=older,
        )
        return self._watch

    # Blindness

    def _be_blind(self, why: Blind) -> Iterator[Sight]:
        if self._blind is None:
            self._blind = why
            yield why

    def _see_again(self, t_s: float) -> Iterator[Sight]:
        if self._blind is not None:
            yield Blind(t_s=t_s, reason=self._blind.reason, advice="", over=True)
            self._blind = None

    def _rare(self, t_s: float) -> Iterator[Sight]:
        """Notice a source whose frames come too rarely."""
        if len(self._times_s) < _RARE_FRAMES:
            return
        pause_s = sorted(b - a for a, b in pairwise(self._times_s))[_RARE_FRAMES // 2 - 1]
        if pause_s > _RARE_S:
            yield from self._be_blind(_at(_RARE, t_s))
        elif self._blind is not None and self._blind.reason == _RARE.reason:
            yield from self._see_again(t_s)

    # Watching

    def _follow(self, watch: Watch, image: np.ndarray, t_s: float) -> Iterator[Sight]:
        yield from self._rare(t_s)
        flat = watch.sheet.lay(image)
        laid = lay_on(watch.plate, watch.sheet, flat, was_shaded=watch.is_shaded)
        watch.is_shaded = laid.is_shaded
        scene = watch.stillness.look(t_s, laid, watch.plate.threshold)
        if scene is Scene.DARK:
            yield from self._dark(watch, image, t_s)
            return
        if self._dark_since_s is not None:
            self._dark_since_s = None
            yield from self._see_again(t_s)
        if scene is Scene.STILL and watch.stretch is None and watch.board is not None:
            yield from self._began(Scene.STILL, t_s)
            return
        yield from self._busy(watch, laid, scene, image, t_s)

    def _dark(self, watch: Watch, image: np.ndarray, t_s: float) -> Iterator[Sight]:
        yield from self._began(Scene.DARK, t_s)
        if self._dark_since_s is None:
            self._dark_since_s = t_s
        if watch.stretch is not None:
            watch.stretch.jumped = True
        if t_s - self._dark_since_s > _DARK_S:
            if watch.board is not None and _is_lit(image):
                self._dark_since_s = None
                self._move()
                return
            yield from self._be_blind(_at(_DARK, t_s))

    def _busy(
        self, watch: Watch, laid: Laid, scene: Scene, image: np.ndarray, t_s: float
    ) -> Iterator[Sight]:
        """A frame in which something moves or covers, or the first still one after that."""
        stretch = watch.stretch or self._stretch(watch, t_s)
        watch.stretch = stretch
        if watch.board is not None and differing(watch, laid) > _ANOTHER_PICTURE:
            laid = self._in_new_light(watch, laid, image, None) or laid
            if differing(watch, laid) > _ANOTHER_PICTURE:
                self._away(watch, stretch, t_s)
                return
        watch.away_since_s = None
        if scene is not Scene.STILL:
            stretch.t_changed_s = t_s
            if len(self._times_s) > 1:
                stretch.longest_gap_s = max(stretch.longest_gap_s, t_s - self._times_s[-2])
        stretch.jumped |= scene is Scene.SHAKEN
        circles, cover = self._look(watch, laid)
        if watch.board is not None and t_s > watch.sun_at_s:
            watch.sun_at_s = t_s + _SUN_EVERY_S
            lit = self._in_new_light(watch, laid, image, circles)
            if lit is not None:
                laid = lit
                circles, cover = self._look(watch, laid)
        is_shaken = scene is Scene.SHAKEN
        if not is_shaken and self._lies_elsewhere(watch, stretch, laid, t_s):
            self._move()
            return
        stretch.tracker.step(t_s, circles, held(watch.sheet, cover, circles, self.radius_mm))
        if cover is not None:
            stretch.saw_hand = True
            if scene in (Scene.STILL, Scene.MOTION):
                yield from self._began(Scene.HAND, t_s)
            yield from self._covered(watch, cover, scene, t_s)
            return
        watch.covering = None
        yield from self._began(scene, t_s)
        if scene is Scene.STILL:
            yield from self._rest(watch, laid, t_s)

    def _look(self, watch: Watch, laid: Laid) -> tuple[Circles, np.ndarray | None]:
        """What is round in a frame, and what covers the board and is not."""
        circles = find_circles(watch.sheet, watch.plate, laid, self.radius_mm)
        free_mm = circles.centre_mm[circles.free]
        return circles, find_cover(watch.sheet, watch.plate, laid, free_mm, self.radius_mm)

    def _in_new_light(
        self,
        watch: Watch,
        laid: Laid,
        image: np.ndarray,
        circles: Circles | None,
    ) -> Laid | None:
        """The frame laid flat beside a plate in its light, where a patch of light came or went."""
        discs = [each.centre_mm for each in self._memory.discs]
        teams = self._memory.teams
        if circles is not None and teams and len(circles.centre_mm):
            away = nearest_team(weighted_lab(circles.colour_bgr), team_centres(teams))[1]
            discs += list(circles.centre_mm[circles.free & (away < _TEAM_LAB)])
        places = np.array(discs).reshape(-1, 2)
        plate = watch.sunlight.look(watch.plate, watch.sheet, laid, places, self.radius_mm)
        if plate is None:
            return None
        watch.plate = plate
        return lay_on(plate, watch.sheet, watch.sheet.lay(image), was_shaded=watch.is_shaded)

    def _away(self, watch: Watch, stretch: Stretch, t_s: float) -> None:
        """A frame that shows something else: no disc is followed in it."""
        stretch.jumped, stretch.t_changed_s = True, t_s
        if watch.away_since_s is None:
            watch.away_since_s = t_s
        if t_s - watch.away_since_s > _ANOTHER_PICTURE_S:
            self._move()

    def _stretch(self, watch: Watch, t_s: float) -> Stretch:
        start = [
            (str(i), each.centre_mm, self._team_lab(each.team))
            for i, each in enumerate(watch.board.discs if watch.board else ())
        ]
        t_from_s = self._times_s[-2] if len(self._times_s) > 1 else t_s
        return Stretch(t_from_s=t_from_s, t_changed_s=t_s, tracker=Tracker(start, t_from_s))

    def _team_lab(self, number: int) -> np.ndarray:
        team = next(each for each in self._memory.teams if each.number == number)
        return team_centres([team])[0]

    def _began(self, scene: Scene, t_s: float) -> Iterator[Sight]:
        if scene is not self._scene:
            self._scene = scene
            yield SceneBegan(t_s=t_s, scene=scene)

    def _covered(
        self, watch: Watch, cover: np.ndarray, scene: Scene, t_s: float
    ) -> Iterator[Sight]:
        """Look afresh when what covers the board does not move."""
        if watch.stretch is None or scene is Scene.SHAKEN:
            return
        if watch.covering is None or _share_of(watch.covering, cover) < _SAME_COVER:
            watch.covering, watch.covered_since_s = cover, t_s
        if t_s - watch.covered_since_s > _COVER_SAID_S:
            yield from self._be_blind(_at(_COVERED, t_s))
        if t_s - watch.covered_since_s > _COVERED_S:
            watch.is_stale = True
            self._lose()

    def _lies_elsewhere(self, watch: Watch, stretch: Stretch, laid: Laid, t_s: float) -> bool:
        """Whether what differs, or has jumped, is the board itself, which was moved."""
        is_likely = stretch.jumped or differing(watch, laid) > _MUCH_DIFFERS
        if not is_likely or t_s <= watch.check_at_s:
            return False
        watch.check_at_s = t_s + _CHECK_EVERY_S
        before_mm = watch.shifted_mm
        watch.shifted_mm = shift_mm(watch.sheet, watch.plate, laid) or 0.0
        slack_mm = max(_BUMPED_MM, _AGREE * watch.shifted_mm)
        agree = abs(watch.shifted_mm - before_mm) < slack_mm
        return watch.shifted_mm > _PLAINLY_BUMPED_MM and agree

    def _rest(self, watch: Watch, laid: Laid, t_s: float) -> Iterator[Sight]:
        """Read the board, unless it no longer lies where it did."""
        if watch.board is not None:
            moved_mm = shift_mm(watch.sheet, watch.plate, laid)
            if moved_mm is not None and moved_mm > _BUMPED_MM:
                self._move()
                return
        yield read_at_rest(watch, self._memory, laid, self._images, t_s)
        if self._blind is not None and self._blind.reason != _RARE.reason:
            yield from self._see_again(t_s)

    def _move(self) -> None:
        """Look where the board lies now: the camera or the board was moved, or the picture cut."""
        self._is_moved = True
        self._lose()


def _at(why: Blind, t_s: float) -> Blind:
    return Blind(t_s=t_s, reason=why.reason, advice=why.advice)


def _share_of(one: np.ndarray, other: np.ndarray) -> float:
    """The share of a mask that another covers."""
    return float(np.sum(one & other)) / max(float(np.sum(one)), 1.0)


def _is_lit(image: np.ndarray) -> bool:
    """Whether the frame (BGR) is neither dark nor blown out."""
    return _LIT_GREY[0] < float(image[::8, ::8].mean()) < _LIT_GREY[1]
