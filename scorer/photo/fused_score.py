"""One score from two cameras' pictures of one board, with both readings and their differences.

The pictures are first scored separately. If both show the board, their readings are fused
(``vision.fuse``) and scored in the frame of the higher camera. If one shows no board, or the turn
between the two boards cannot be found, one camera's score is used, with a sentence about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from calibration.fit import BoardFit
from calibration.phrase import finish
from calibration.placed_disc import DiscState
from scorer.photo.place_labels import describe_place
from scorer.photo.questions import ask_note, list_questions
from scorer.photo.score import Score, ScoreStatus, score_reading
from vision.fuse.fuse_readings import (
    Difference,
    FusedDisc,
    FusedReading,
    fuse_readings,
    turn_disc,
)
from vision.fuse.registration import rotation

_STATE_WORDS = {
    DiscState.FLAT: "flat",
    DiscState.IN_HOLE: "in the hole",
    DiscState.LEANING: "leaning",
    DiscState.OVERHANGING: "over the edge",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FusedScore:
    """A board's score from two pictures.

    score   in the picture of the leading camera, which is ``lead``: 0 the first, 1 the second
    each    the scores of the two pictures
    fusion  None if only one camera's score is used, and ``note`` gives the reason
    """

    score: Score
    lead: int
    single_scores: tuple[Score, Score]
    fusion: FusedReading | None = None
    note: str | None = None


def fuse_scores(first: Score, second: Score) -> FusedScore:
    """The score of a board from its scores in two pictures."""
    single_scores = (first, second)
    for lead, score in enumerate(single_scores):
        other = single_scores[1 - lead]
        if other.status is not ScoreStatus.SCORED:
            note = f"{other.image} was left out: {other.reason}"
            return FusedScore(score=score, lead=lead, single_scores=single_scores, note=note)
    assert first.reading is not None
    assert second.reading is not None
    fusion = fuse_readings(first.reading, second.reading)
    if fusion is None:
        return _score_unregistered(first, second)
    frame, board = single_scores[fusion.lead].frame, fusion.reading.board
    assert frame is not None
    assert board is not None
    names = (first.image, second.image)
    differences = _list_differences(fusion.discs, names, board)
    reading = replace(fusion.reading, notes=(*fusion.reading.notes, *differences))
    score = score_reading(frame, reading)
    return FusedScore(score=score, lead=fusion.lead, single_scores=single_scores, fusion=fusion)


def _score_unregistered(first: Score, second: Score) -> FusedScore:
    """The score from the picture with more discs, which a person must check."""
    lead = int(len(second.discs) > len(first.discs))
    single_scores = (first, second)
    note = f"{first.image} and {second.image} cannot be lined up: too few discs appear in both."
    score = replace(single_scores[lead], questions=(ask_note(note), *single_scores[lead].questions))
    return FusedScore(score=score, lead=lead, single_scores=single_scores, note=note)


def _list_differences(
    discs: Sequence[FusedDisc], names: tuple[str, str], board: BoardFit
) -> tuple[str, ...]:
    """The pictures' differences about discs that count; others are among the unexplained places."""
    counted = (disc for disc in discs if not disc.is_left_out)
    return tuple(
        finish(words) for disc in counted for words in describe_differences(disc, names, board)
    )


def describe_differences(fused: FusedDisc, names: tuple[str, str], board: BoardFit) -> list[str]:
    """A sentence for every difference of the pictures, by their ``names``, about a disc.

    board  of the picture in which places are given
    """
    place = describe_place(fused.disc.centre_mm, board)
    one, two = fused.seen
    differences = []
    for difference in fused.differences:
        match difference:
            case Difference.PRESENCE:
                alone = names[0] if two is None else names[1]
                differences.append(f"only {alone} shows the disc {place}")
            case Difference.PLACE:
                assert one is not None
                assert two is not None
                away_mm = float(((one.centre_mm - two.centre_mm) ** 2).sum() ** 0.5)
                differences.append(f"the pictures show the disc {place} {away_mm:.0f} mm apart")
            case Difference.STATE:
                assert one is not None
                assert two is not None
                differences.append(
                    f"the disc {place} is {_STATE_WORDS[one.state]} in {names[0]} and "
                    f"{_STATE_WORDS[two.state]} in {names[1]}"
                )
            case Difference.TEAM:
                differences.append(
                    f"the pictures show the disc {place} in different teams' colours"
                )
    return differences


def score_in_picture(fused: FusedScore, camera: int) -> Score:
    """The fused score as one of the two pictures shows it, with places in that picture."""
    own, led = fused.single_scores[camera], fused.score.reading
    if fused.fusion is None or camera == fused.lead or own.reading is None:
        return fused.score if camera == fused.lead else own
    assert led is not None
    back_rad = -fused.fusion.turns_rad[camera]
    discs = tuple(replace(disc, disc=turn_disc(disc.disc, back_rad)) for disc in fused.score.discs)
    reading = replace(
        led,
        board=own.reading.board,
        discs=tuple(disc.disc for disc in discs),
        unexplained=tuple(
            replace(item, centre_mm=rotation(back_rad) @ item.centre_mm) for item in led.unexplained
        ),
    )
    names = (fused.single_scores[0].image, fused.single_scores[1].image)
    turned = [replace(disc, disc=turn_disc(disc.disc, back_rad)) for disc in fused.fusion.discs]
    assert own.frame is not None
    assert led.board is not None
    assert reading.board is not None
    words = dict(
        zip(
            _list_differences(fused.fusion.discs, names, led.board),
            _list_differences(turned, names, reading.board),
            strict=True,
        )
    )
    notes = tuple(words.get(note, note) for note in fused.score.notes)
    return replace(
        fused.score,
        image=own.image,
        frame=own.frame,
        reading=reading,
        discs=discs,
        notes=notes,
        questions=list_questions(reading, discs, notes, own.frame.image.shape),
    )
