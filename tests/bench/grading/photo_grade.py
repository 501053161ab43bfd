"""A score compared with the truth: right, missing, and wrong without asking.

True and read discs are paired by the Hungarian method (as many pairs as possible within the truth's
gate, with the smallest total distance). Places in millimetres are known up to a quarter turn,
because a board looks alike from four sides; the turn with the best pairing counts. Only the
published JSON of a score is used, so nothing depends on how the score was computed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from calibration.board import FloatArray
from sample_images.renderer.picture_truth import TrueDisc, Truth, quarter_turns

#: Limits of views and discs for which base errors are stated: tilt, and pixels across a disc.
MAX_TILT_DEG, MIN_DISC_PX = 45.0, 20.0
#: A zone must be right where the true margin is over this, mm.
SAFE_MARGIN_MM = 1.0
#: A smaller sigma is written as 0 in the JSON, mm.
_LEAST_SIGMA_MM = 1e-3
#: At most this many uncertain labels are changed to find totals that agree.
_MAX_FLIPS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoGrade:
    """The grade of one picture. Counts are of discs.

    is_exact           every team's points are right, or there is rightly no board
    is_settled         exact, and nobody was asked
    is_asked           scored, and left to a person: ``needs_review``
    is_needless        asked though exact, and no disc is one that a person would call close
    is_silently_wrong  not exact, scored all the same, and without ``needs_review``
    zone_wrong, certain_wrong  matched discs with a wrong zone, and those called certain
    team_wrong         matched discs under the best naming of teams
    close              matched discs called close
    safe, safe_right   matched discs clear of every line, and those whose zone is right
    foot_errors_mm     of flat discs in views that allow it
    margin_z2          ((margin - true margin) / sigma)² of flat discs whose true margin is known
    probability_right  the stated probability that every total is right
    tilt_deg           angle off the board's normal, as measured; None where no board was found
    """

    image: str
    status: str
    is_found: bool
    is_exact: bool
    is_settled: bool
    is_asked: bool
    is_needless: bool
    is_silently_wrong: bool
    discs: int
    missed: int
    extra: int
    zone_wrong: int
    certain_wrong: int
    team_wrong: int
    close: int
    safe: int
    safe_right: int
    foot_errors_mm: tuple[float, ...]
    margin_z2: tuple[float, ...]
    probability_right: float
    tilt_deg: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _MatchedDisc:
    """A true disc, its reading, and the distance of their positions."""

    true: TrueDisc
    said: Mapping[str, Any]
    distance: float

    @property
    def is_zone_right(self) -> bool:
        return self.said["zone"] in (self.true.zone, self.true.alternative)


def grade_photo(image: str, truth: Truth, entry: Mapping[str, Any]) -> PhotoGrade:
    """One picture's grade, from its entry in the JSON of ``crokinole score``."""
    is_scored = entry["status"] == "scored"
    said = entry["discs"] if is_scored else []
    matches = _match_discs(truth, said)
    wrong = [match for match in matches if not match.is_zone_right]
    is_exact = is_scored == truth.has_board and (
        not is_scored or _totals_agree(truth, [total["points"] for total in entry["totals"]])
    )
    is_asked = is_scored and bool(entry["needs_review"])
    safe = [match for match in matches if (match.true.margin_mm or 0.0) > SAFE_MARGIN_MM]
    return PhotoGrade(
        image=image,
        status=entry["status"],
        is_found=is_scored and truth.has_board,
        is_exact=is_exact,
        is_settled=is_exact and not is_asked,
        is_asked=is_asked,
        is_needless=is_asked and is_exact and not any(disc.is_close for disc in truth.discs),
        is_silently_wrong=is_scored and not is_exact and not is_asked,
        discs=len(truth.discs),
        missed=len(truth.discs) - len(matches),
        extra=len(said) - len(matches) - _count_ignored(truth, said, matches),
        zone_wrong=len(wrong),
        certain_wrong=sum(match.said["call"] == "certain" for match in wrong),
        team_wrong=_count_team_errors(matches),
        close=sum(match.said["call"] == "close" for match in matches),
        safe=len(safe),
        safe_right=sum(match.is_zone_right for match in safe),
        foot_errors_mm=tuple(_base_errors(truth, matches)),
        margin_z2=tuple(_margin_z2(matches)),
        probability_right=entry["probability_right"],
        tilt_deg=entry["camera"]["tilt_deg"] if is_scored else None,
    )


def _totals_agree(truth: Truth, points: Sequence[int]) -> bool:
    """Whether points are the true totals for some naming of teams and some reading of the
    labels.
    """
    said = Counter(value for value in points if value)
    doubtful = [disc for disc in truth.discs if disc.alternative is not None][:_MAX_FLIPS]
    return any(_nonzero(totals) == said for totals in _possible_totals(truth.totals, doubtful))


def _possible_totals(
    totals: Mapping[str, int], doubtful: Sequence[TrueDisc]
) -> Iterator[Counter[str]]:
    """The totals for every reading of the uncertain labels."""
    for flips in product((False, True), repeat=len(doubtful)):
        possible = Counter(dict(totals))
        for disc, is_flipped in zip(doubtful, flips, strict=True):
            if is_flipped:
                possible[disc.team] += (disc.alternative or 0) - disc.zone
        yield possible


def _nonzero(totals: Mapping[str, int]) -> Counter[int]:
    return Counter(value for value in totals.values() if value)


def match_bases(truth: Truth, said_mm: FloatArray) -> list[tuple[int, int, FloatArray]]:
    """(true, read, error) of bases read at ``said_mm`` (n, 2); errors (2,) in their frame, mm."""
    if not truth.discs or len(said_mm) == 0:
        return []
    true = np.array([disc.place for disc in truth.discs], dtype=np.float64)
    turned = [true @ quarter_turns(count) for count in range(4)]
    pairings = [(_pair_places(placed, said_mm, truth.gate), placed) for placed in turned]
    pairs, places = max(
        pairings, key=lambda pairing: (len(pairing[0]), -sum(far for *_, far in pairing[0]))
    )
    return [(i, j, said_mm[j] - places[i]) for i, j, _ in pairs]


def _match_discs(truth: Truth, said: Sequence[Mapping[str, Any]]) -> list[_MatchedDisc]:
    """True discs paired with read discs: as many as the gate allows, with the smallest total
    distance.
    """
    if not truth.discs or not said:
        return []
    true = np.array([disc.place for disc in truth.discs], dtype=np.float64)
    if truth.is_metric:
        places = np.array([[reading["x_mm"], reading["y_mm"]] for reading in said])
        candidates = [places @ quarter_turns(count).T for count in range(4)]
    else:
        candidates = [np.array([reading["foot_px"] for reading in said], dtype=np.float64)]
    pairings = [_pair_places(true, places, truth.gate) for places in candidates]
    best = max(pairings, key=lambda pairs: (len(pairs), -sum(pair[2] for pair in pairs)))
    return [_MatchedDisc(true=truth.discs[i], said=said[j], distance=far) for i, j, far in best]


def _pair_places(true: FloatArray, said: FloatArray, gate: float) -> list[tuple[int, int, float]]:
    """(true, read, distance) of the assignment with most pairs inside the gate."""
    distance = np.linalg.norm(true[:, None] - said[None], axis=-1)
    apart = distance.shape[0] * gate + 1.0  # so expensive that no near pair is given up for another
    rows, columns = linear_sum_assignment(np.where(distance < gate, distance, apart))
    return [
        (int(i), int(j), float(distance[i, j]))
        for i, j in zip(rows, columns, strict=True)
        if distance[i, j] < gate
    ]


def _count_ignored(
    truth: Truth, said: Sequence[Mapping[str, Any]], matches: Sequence[_MatchedDisc]
) -> int:
    """Number of unmatched discs in places where neither answer is wrong."""
    matched = {id(match.said) for match in matches}
    free = [reading["foot_px"] for reading in said if id(reading) not in matched]
    return sum(
        any(np.hypot(x - gx, y - gy) < truth.ignored_within for gx, gy in truth.ignored)
        for x, y in free
    )


def _count_team_errors(matches: Sequence[_MatchedDisc]) -> int:
    """Discs whose team disagrees with the best one-to-one naming of teams."""
    if not matches:
        return 0
    true_names = sorted({match.true.team for match in matches})
    said_names = sorted({match.said["team"] for match in matches})
    agreeing = np.zeros((len(true_names), len(said_names)))
    for match in matches:
        agreeing[true_names.index(match.true.team), said_names.index(match.said["team"])] += 1
    rows, columns = linear_sum_assignment(agreeing, maximize=True)
    return len(matches) - int(agreeing[rows, columns].sum())


def _base_errors(truth: Truth, matches: Sequence[_MatchedDisc]) -> Iterator[float]:
    if truth.tilt_deg is None or truth.tilt_deg >= MAX_TILT_DEG:
        return
    if truth.disc_px is None or truth.disc_px < MIN_DISC_PX:
        return
    yield from (match.distance for match in matches if match.true.is_flat)


def _margin_z2(matches: Sequence[_MatchedDisc]) -> Iterator[float]:
    """Squared errors of the margins in sigmas: chi-square with one degree of freedom if the sigmas
    are honest.

    The line of a margin is not stated; it is taken to be the one with the nearest true margin.
    """
    for match in matches:
        if match.true.is_flat and match.true.line_margins_mm and match.said["state"] == "flat":
            said_mm = match.said["margin_mm"]
            error_mm = min(abs(said_mm - true_mm) for true_mm in match.true.line_margins_mm)
            yield (error_mm / max(match.said["sigma_mm"], _LEAST_SIGMA_MM)) ** 2
