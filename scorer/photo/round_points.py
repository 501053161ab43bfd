"""A round's points by side, from one picture of the finished board.

A colour in the picture belongs to the side that plays it. Raises ``MatchError`` if a person has to
check the picture first, or if colours and sides do not match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from calibration.phrase import Phrase
from calibration.profile import ProfileError, load_profile
from scorer.match.colours import check_colours, name_as_match
from scorer.match.events import MatchError
from scorer.match.state import MatchSetup
from scorer.photo.score import Score, ScoreStatus
from scorer.photo.score_file import score_file
from scorer.zone_values import TWENTY


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPoints:
    """A round in a picture: points including 20s, and 20s, by side."""

    points: tuple[int, ...]
    twenties: tuple[int, ...]


def score_round_photo(
    picture: str,
    setup: MatchSetup,
    *,
    colours: Sequence[str] = (),
    twenties_aside: Sequence[int] = (),
    twenties_counted: Sequence[int] = (),
    profile: Path | None = None,
) -> RoundPoints:
    """A round's points. Raises ``MatchError`` if a person has to check the picture, or colours are
    not known.

    colours           of the sides' discs in this picture, if the match's own do not apply
    twenties_aside    20s by side that were taken off the board and are not in a picture
    twenties_counted  used if those are not given: all 20s by side that were counted in the round
    """
    none = (0,) * len(setup.sides)
    aside, counted = tuple(twenties_aside) or none, tuple(twenties_counted) or none
    if len(aside) != len(setup.sides) or min(aside) < 0:
        raise MatchError(
            Phrase(
                "Give the 20s beside the board for each side: %(sides)s.",
                sides=", ".join(setup.sides),
            )
        )
    side_colours = tuple(colours) or setup.colours
    if side_colours:
        check_colours(setup.sides, side_colours)
    score = _score_without_review(picture, profile)
    seen = _totals_by_colour(score)
    names = name_as_match(side_colours, tuple(seen))
    found = {names[colour]: total for colour, total in seen.items()}
    if not score.discs:  # without discs, no colour matters
        side_colours, found = setup.sides, dict.fromkeys(setup.sides, (0, 0))
    if set(side_colours) != set(found):
        raise MatchError(
            _describe_colour_mismatch(picture, setup.sides, side_colours, tuple(found))
        )
    rows = [found[colour] for colour in side_colours]
    if not twenties_aside:
        aside = tuple(max(all_ - row[1], 0) for all_, row in zip(counted, rows, strict=True))
    return RoundPoints(
        points=tuple(row[0] + TWENTY * more for row, more in zip(rows, aside, strict=True)),
        twenties=tuple(row[1] + more for row, more in zip(rows, aside, strict=True)),
    )


def _score_without_review(picture: str, profile: Path | None) -> Score:
    """The picture's score, if nobody has to check it."""
    try:
        score = score_file(picture, load_profile(profile) if profile else None)
    except ProfileError as error:
        raise MatchError(str(error)) from None
    by_hand = f"`crokinole match add 60 45 --photo {picture}`"
    if score.status is not ScoreStatus.SCORED:
        raise MatchError(
            f"{picture} cannot be scored. {score.reason} Or give the points too, such as {by_hand}."
        )
    if score.needs_review:
        read = ", ".join(f"{name} {row[0]}" for name, row in _totals_by_colour(score).items())
        raise MatchError(
            f"{picture} shows {read or 'no discs'}, but someone must check it. "
            f"{' '.join(score.concerns)} "
            f"Give the points too, such as {by_hand}."
        )
    return score


def _totals_by_colour(score: Score) -> dict[str, tuple[int, int]]:
    """Points and 20s by the colour's name, light to dark."""
    assert score.reading is not None
    names = {team.number: team.colour_name for team in score.reading.teams}
    return {names[total.team]: (total.points, total.twenties) for total in score.totals}


def _describe_colour_mismatch(
    picture: str, sides: Sequence[str], expected: Sequence[str], found: Sequence[str]
) -> str:
    seen = " and ".join(found) or "no"
    if len(found) != len(sides):
        return (
            f"{picture} shows {seen} discs, but {len(sides)} sides play. Give the points too, such "
            f"as `crokinole match add 60 45 --photo {picture}`."
        )
    wanted = f", not {' and '.join(expected)}" if expected else ""
    return (
        f"{picture} shows {seen} discs{wanted}. Add `--colours` with the colour of "
        f"{', then of '.join(sides)}, such as `--colours {' '.join(found)}`."
    )
