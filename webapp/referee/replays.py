"""Whether the picture was cut back to the last shot: films of matches show shots again.

After such a cut the discs that were struck lie where they lay before the shot, to the millimetre.
Players who put discs back are not so exact. A replay that a hand hides at first, or of a shot that
struck nothing, looks like another shot by the same side from the same place: that is for a person.
A replay by another camera is another view, which is not refereed (``vision.track.locate``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.placed_disc import PlacedDisc
from vision.track.events import BoardAtRest
from webapp.referee.disc_identities import UNMOVED_MM, NamedDisc
from webapp.referee.shot.shot_evidence import ShotEvidence

#: What is said while a replay runs, and of a shot that may be one.
REPLAY_REASON = "the last shot is shown again"
REPLAY_ADVICE = "Refereeing goes on when the replay is over."
MAYBE_REPLAY_REASON = "the picture was cut, and this may be the last shot shown again"


def shows_board_before(at_rest: BoardAtRest, last: ShotEvidence, now: Sequence[NamedDisc]) -> bool:
    """Whether ``at_rest`` shows the board before the ``last`` shot, and not the discs as they lie
    ``now``."""
    shown = at_rest.board.discs
    stay = [each for each in now if not each.must_go]
    return all(_lies_in(each, shown) for each in last.before) and not all(
        _lies_in(each, shown) for each in stay
    )


def may_repeat(shot: ShotEvidence, last: ShotEvidence) -> bool:
    """Whether a shot is by the side of the ``last`` one, and from the same place."""
    away_mm = float(np.linalg.norm(shot.shooter.place_mm - last.shooter.place_mm))
    is_same_side = shot.shooter.disc.team == last.shooter.disc.team
    return is_same_side and away_mm < shot.at_rest.board.disc.radius_mm


def _lies_in(named: NamedDisc, discs: Sequence[PlacedDisc]) -> bool:
    return any(
        each.team == named.disc.team
        and np.linalg.norm(each.centre_mm - named.place_mm) < UNMOVED_MM
        for each in discs
    )
