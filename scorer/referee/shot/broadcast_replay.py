"""Detects broadcast replays: whether a board or a shot repeats the last shot.

Broadcasts replay shots. After a cut back to the last shot, the struck discs are at their old
positions to the millimetre; players who put discs back are less exact. A replay that a hand hides
at first, or of a shot that struck nothing, looks like another shot by the same side from the same
place. If its discs come to rest at the same positions to the millimetre, it is a replay; otherwise
a person is asked. A replay from another camera is another view and is not refereed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.phrase import Phrase
from calibration.placed_disc import DiscState, PlacedDisc
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.shot.shot_evidence import ShotEvidence
from vision.track.events import BoardAtRest
from vision.track.tracks.same_disc import PARAMS as SAME_DISC

#: Messages during a replay, and for a shot that may be a replay.
REPLAY_REASON = Phrase("this is a replay of the last shot")
REPLAY_ADVICE = Phrase("Refereeing resumes after the replay.")
#: Longest replay, s: a shot of 2 s at a quarter of its speed. Later apparent repeats may be misread
#: boards.
LONGEST_REPLAY_S = 8.0
MAYBE_REPLAY_REASON = Phrase("the video cut to a possible replay of the last shot")


def describe_long_replay(from_s: float) -> str:
    """The reason why a score is uncertain if an apparent replay lasted to the end, longer than any
    replay.
    """
    return Phrase(
        "the video from %(from_s).1f s to the end looked like a replay of "
        "the last shot, so shots may have been missed",
        from_s=from_s,
    )


def shows_board_before(at_rest: BoardAtRest, last: ShotEvidence, now: Sequence[NamedDisc]) -> bool:
    """Whether ``at_rest`` shows the board before the ``last`` shot, and not the discs as they are
    ``now``.

    It shows all discs from before the shot and none from after it. If the disc of that shot is at
    its final place, a later shot has moved others. A disc of the other side that was not there
    before the shot has been shot since then.
    """
    shown = at_rest.board.discs
    discs_before = [disc.disc for disc in last.before]
    came = [disc for disc in last.change.now if not _is_among(disc, discs_before)]
    side = last.shooter.disc.team
    return (
        sum(disc.team != side for disc in shown) <= sum(disc.team != side for disc in discs_before)
        and all(_is_among(disc, shown) for disc in last.before)
        and not any(_is_among(disc, shown) for disc in came)
        and not all(_is_among(disc, shown) for disc in now if not disc.must_go)
    )


def may_repeat(shot: ShotEvidence, last: ShotEvidence) -> bool:
    """Whether a shot is by the side of the ``last`` shot, and from the same place."""
    away_mm = float(np.linalg.norm(shot.shooter.place_mm - last.shooter.place_mm))
    is_same_side = shot.shooter.disc.team == last.shooter.disc.team
    return is_same_side and away_mm < shot.at_rest.board.disc.radius_mm


def repeats(shot: ShotEvidence, last: ShotEvidence) -> bool:
    """Whether a shot repeats the ``last`` one. All discs must have the same positions before it, no
    disc may be anywhere else, and a disc that it moves must stop where the last shot left a disc of
    the same side. All 20s count as one position.
    """
    discs_before, ends = (
        [disc.disc for disc in shot.before],
        [disc.disc for disc in _list_moved(last)],
    )
    return (
        may_repeat(shot, last)
        and _are_same(last.before, discs_before)
        and _are_same(last.change.now, shot.at_rest.board.discs)
        and any(_is_among(disc, ends) for disc in _list_moved(shot))
    )


def _are_same(named: Sequence[NamedDisc], discs: Sequence[PlacedDisc]) -> bool:
    return len(named) == len(discs) and all(_is_among(disc, discs) for disc in named)


def _list_moved(shot: ShotEvidence) -> list[NamedDisc]:
    """The discs that a shot moved and that are flat on the surface."""
    moved = {shot.shooter.name, *shot.displacements.moved_mm}
    flat = [disc for disc in shot.change.now if disc.disc.state is DiscState.FLAT]
    return [disc for disc in flat if disc.name in moved]


def _is_among(named: NamedDisc, discs: Sequence[PlacedDisc]) -> bool:
    return any(
        disc.team == named.disc.team
        and np.linalg.norm(disc.centre_mm - named.place_mm) < SAME_DISC.unmoved_mm
        for disc in discs
    )
