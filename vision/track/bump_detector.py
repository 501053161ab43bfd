"""Whether the camera or the board was bumped while discs or hands move.

Registration against the background (phase correlation of tiles) measures the board's shift. It
takes several times as long as a frame. So it runs only if much of the picture differs or the
picture has jumped, and its result counts only if two checks agree. After the motion, a board that
seems unmoved is checked once more before it is read.
"""

from __future__ import annotations

from calibration.parameters import StageParameters, parameter
from vision.track.background.background_model import NormalisedFrame
from vision.track.background.registration import estimate_shift_mm
from vision.track.tracked_view import PARAMS as VIEW
from vision.track.tracked_view import MotionInterval, TrackedView, measure_changed_share


class BumpDetectorParameters(StageParameters):
    """Parameters of ``bump_detector``."""

    #: If more of the surface than this differs, or the picture has jumped, the board may have
    #: moved; this is checked every so often (``_CHECK_EVERY_S``) ...
    much_changed: float = parameter(
        0.08, unit="share", source="chosen: covers a hand and a dozen discs, whose share is 0.028"
    )
    #: ... and accepted if it moved by at least this in two checks ...
    clearly_moved_mm: float = parameter(
        3.0, unit="mm", source="chosen: objects moving on the board disturb registration by less"
    )
    #: ... that agree to within this share.
    agree: float = parameter(
        0.1, unit="share", source="chosen: the shifts of a board that still moves differ by more"
    )


PARAMS = BumpDetectorParameters()
#: Interval of the checks, for speed: registration takes several times as long as a frame.
_CHECK_EVERY_S = 0.2


def detect_bump(
    view: TrackedView, interval: MotionInterval, frame: NormalisedFrame, t_s: float
) -> bool:
    """Whether the difference in ``frame`` at ``t_s`` comes from the board itself, which was moved.

    The time and the result of the check are kept in ``view``.
    """
    is_likely = interval.was_interrupted or measure_changed_share(view, frame) > PARAMS.much_changed
    if not is_likely or t_s <= view.check_shift_at_s:
        return False
    view.check_shift_at_s = t_s + _CHECK_EVERY_S
    before_mm = view.last_shift_mm
    view.last_shift_mm = estimate_shift_mm(view.rectifier, view.background, frame) or 0.0
    slack_mm = max(VIEW.moved_mm, PARAMS.agree * view.last_shift_mm)
    agree = abs(view.last_shift_mm - before_mm) < slack_mm
    return view.last_shift_mm > PARAMS.clearly_moved_mm and agree
