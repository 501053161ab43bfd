"""Fit the rim classifier again: ``python -m sample_images.train_rims.train_rim_classifier DIR...``.

All pictures in the folders with a truth file give the circles found on their boards, labelled as
discs or other circles; a logistic regression distinguishes them by their rims. The recipe for the
data: pictures from ``python -m sample_images.renderer OUTDIR --seeds 1-40``, and any folder of
labelled photos. The program only prints the weights; if they are better, write them into
``vision/discs/rim_classifier.py``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from calibration.board import FloatArray
from sample_images.renderer.picture_truth import Truth, load_pictures_with_truth, quarter_turns
from vision.board.find_board import NoBoard, find_board
from vision.discs.detector_input import DetectorInput, prepare_detector_input
from vision.discs.disc_hypotheses import DiscHypotheses, find_disc_hypotheses
from vision.discs.rim_classifier import BIAS, FEATURES, WEIGHTS
from vision.io.frame import Frame, UnreadablePicture, read_frame
from webapp.cli.progress import show_progress
from webapp.formats.form import InputFileError

#: A circle this near to a true disc is that disc; one farther than this from all discs is none.
#: Circles in between are half-hidden rims or rough labels, which are not used for training. Other
#: circles within a disc's radius are mostly duplicates of it at the edge of its shadow: judging
#: drops them later, because discs cannot overlap.
_IS_DISC_MM, _IS_OTHER_MM = 3.0, 8.0
#: Where discs in the ditch are not labelled, circles from this far inside the surface's edge on may
#: be such discs, because a ditch disc at the wall can appear this far inside.
_UNLABELLED_EDGE_MM = 16.0
#: Strength of the ridge: weights of features scaled to unit spread have about this prior certainty
#: of being small.
_RIDGE = 1.0
#: Number of parts into which the pictures are split; every part is judged by the weights of the
#: others.
_FOLDS = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelledCircles:
    """Circles (n), labelled as discs or other circles.

    features  of ``vision.discs.rim_classifier.measure_rim_features``: (n, 5)
    is_disc   (n,) bool
    picture   number of the picture of a circle: (n,)
    """

    features: FloatArray
    is_disc: np.ndarray
    picture: np.ndarray

    def only(self, chosen: np.ndarray) -> LabelledCircles:
        """The circles with ``chosen`` (n,) true."""
        return LabelledCircles(
            features=self.features[chosen],
            is_disc=self.is_disc[chosen],
            picture=self.picture[chosen],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Log odds of a disc with all features zero, and the features' gains per unit."""

    bias: float
    per_feature: tuple[float, ...]

    def log_odds(self, features: FloatArray) -> FloatArray:
        """Log odds of circles with such features (n, 5): (n,)."""
        return self.bias + features @ np.array(self.per_feature)


#: The current weights.
CURRENT_WEIGHTS = Weights(bias=BIAS, per_feature=WEIGHTS)


def fit_weights(labelled: LabelledCircles, ridge: float = _RIDGE) -> Weights:
    """The weights that maximise the labels' likelihood minus half ``ridge`` times their squares.

    The ridge limits weights of features scaled to unit spread; it leaves the bias free.
    """
    middle = labelled.features.mean(axis=0)
    spread = np.maximum(labelled.features.std(axis=0), 1e-9)
    scaled = np.column_stack(
        [(labelled.features - middle) / spread, np.ones(len(labelled.features))]
    )
    stiffness = np.append(np.full(len(middle), ridge), 0.0)
    is_disc = labelled.is_disc.astype(np.float64)

    def loss(w: FloatArray) -> tuple[float, FloatArray]:
        z = scaled @ w
        chance = 1 / (1 + np.exp(-np.clip(z, -500, 500)))
        value = np.sum(np.logaddexp(0, z) - is_disc * z) + 0.5 * np.sum(stiffness * w * w)
        return float(value), scaled.T @ (chance - is_disc) + stiffness * w

    w = minimize(loss, np.zeros(len(middle) + 1), jac=True, method="L-BFGS-B").x
    per_feature = w[:-1] / spread
    return Weights(
        bias=float(w[-1] - per_feature @ middle), per_feature=tuple(map(float, per_feature))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCounts:
    """Numbers of misjudged circles: discs taken for others, and others for discs."""

    missed: int
    extra: int


def count_errors(log_odds: FloatArray, is_disc: np.ndarray) -> ErrorCounts:
    """The errors of calling a circle a disc if its log odds (n,) are above even."""
    said = log_odds > 0
    return ErrorCounts(missed=int(np.sum(is_disc & ~said)), extra=int(np.sum(said & ~is_disc)))


def cross_validate(labelled: LabelledCircles) -> FloatArray:
    """Log odds (n,) from weights fitted to other pictures than the circle's own."""
    out = np.empty(len(labelled.is_disc))
    fold = labelled.picture % _FOLDS
    for held_out in np.unique(fold):
        weights = fit_weights(labelled.only(fold != held_out))
        out[fold == held_out] = weights.log_odds(labelled.features[fold == held_out])
    return out


def label_circles(
    found: DiscHypotheses, scene: DetectorInput, frame: Frame, truth: Truth
) -> LabelledCircles:
    """The circles of one picture, numbered 0, labelled as discs or others by its truth.

    Circles over the hole are left out, because they are judged by the inside of the hole.
    """
    base = found.outlines.base_mm
    away = _distance_to_nearest(base, _true_bases(base, scene, frame, truth))
    is_disc = away < _IS_DISC_MM
    is_other = (away > _IS_OTHER_MM) & ~_may_be_unlabelled(base, scene, frame, truth)
    over_hole = np.linalg.norm(base - scene.hole_mm, axis=-1) < scene.spec.hole_radius_mm
    every = LabelledCircles(
        features=found.rim_scores.features, is_disc=is_disc, picture=np.zeros(len(base), np.intp)
    )
    return every.only((is_disc | is_other) & ~over_hole)


def _true_bases(base: FloatArray, scene: DetectorInput, frame: Frame, truth: Truth) -> FloatArray:
    """The apparent places of the true discs' bases on the playing surface: (m, 2) mm."""
    place = np.array([disc.place for disc in truth.discs], dtype=np.float64).reshape(-1, 2)
    if not truth.is_metric:  # labels are of top faces, in pixels of the stored picture
        return scene.picture.view.unproject_plane(_to_frame_px(place, frame), scene.shape.height_mm)
    ditch = np.array(truth.ditch or (), dtype=np.float64).reshape(-1, 3)
    flat = np.concatenate([np.column_stack([place, np.zeros(len(place))]), ditch])
    turned = [_project_to_surface(flat, count, scene) for count in range(4)]
    return min(
        turned, key=lambda true: -int(np.sum(_distance_to_nearest(true, base) < _IS_DISC_MM))
    )


def _project_to_surface(point_mm: FloatArray, quarters: int, scene: DetectorInput) -> FloatArray:
    """Places on the surface's plane at which points (m, 3) appear, after a number of quarter turns:
    (m, 2).
    """
    camera_mm = scene.picture.camera_mm
    turned = point_mm[:, :2] @ quarter_turns(quarters).T
    return camera_mm[:2] + (turned - camera_mm[:2]) * (
        camera_mm[2] / (camera_mm[2] - point_mm[:, 2:])
    )


def _to_frame_px(point_px: FloatArray, frame: Frame) -> FloatArray:
    """Pixels (m, 2) of the stored picture as pixels of ``frame.image``."""
    return (point_px + 0.5) * frame.scale - 0.5


def _may_be_unlabelled(
    base: FloatArray, scene: DetectorInput, frame: Frame, truth: Truth
) -> np.ndarray:
    """Whether the circles (n,) may be discs that the truth does not label: in a ditch or in a
    hand.
    """
    unknown = np.zeros(len(base), dtype=bool)
    if truth.ditch is None:
        edge_mm = scene.spec.surface_radius_mm - _UNLABELLED_EDGE_MM
        unknown |= np.linalg.norm(base, axis=-1) > edge_mm
    if truth.ignored:
        ignored = _to_frame_px(np.array(truth.ignored, dtype=np.float64), frame)
        foot_px = scene.picture.view.project_plane(base)
        unknown |= _distance_to_nearest(foot_px, ignored) < truth.ignored_within * frame.scale
    return unknown


def _distance_to_nearest(points: FloatArray, others: FloatArray) -> FloatArray:
    """Distance of points (n, 2) from the nearest of others (m, 2): (n,), infinite without any."""
    gap = np.linalg.norm(points[:, None] - others[None], axis=-1)
    return np.min(gap, axis=1, initial=np.inf)


def collect_circles(work: Sequence[tuple[Path, Truth]]) -> LabelledCircles:
    """The circles of all pictures; none from pictures without a board."""
    none = LabelledCircles(
        features=np.zeros((0, len(FEATURES))),
        is_disc=np.zeros(0, dtype=bool),
        picture=np.zeros(0, np.intp),
    )
    parts = [none]
    for number, (path, truth) in enumerate(show_progress(work, "Looking")):
        part = _find_circles(path, truth)
        if part is not None:
            parts.append(
                LabelledCircles(
                    features=part.features, is_disc=part.is_disc, picture=part.picture + number
                )
            )
    return LabelledCircles(
        features=np.concatenate([part.features for part in parts]),
        is_disc=np.concatenate([part.is_disc for part in parts]),
        picture=np.concatenate([part.picture for part in parts]),
    )


def _find_circles(path: Path, truth: Truth) -> LabelledCircles | None:
    frame = read_frame(path) if truth.has_board else None
    if frame is None or isinstance(frame, UnreadablePicture):
        return None
    board = find_board(frame)
    if isinstance(board, NoBoard):
        return None
    scene = prepare_detector_input(frame.image, board.fit, None)
    return label_circles(find_disc_hypotheses(scene), scene, frame, truth)


def format_report(labelled: LabelledCircles) -> str:
    """Both sets of weights side by side, with their error counts."""
    trained = fit_weights(labelled)
    rows = [("bias", CURRENT_WEIGHTS.bias, trained.bias)]
    rows += zip(FEATURES, CURRENT_WEIGHTS.per_feature, trained.per_feature, strict=True)
    discs, count = int(labelled.is_disc.sum()), len(labelled.is_disc)
    pictures = len(np.unique(labelled.picture))
    lines = [
        f"{count} circles in {pictures} pictures: {discs} are discs, {count - discs} are not.",
        "",
        f"{'weight':24}{'in use':>10}{'trained':>10}",
        *(f"{name:24}{now:10.2f}{new:10.2f}" for name, now, new in rows),
    ]
    wrong = [
        count_errors(log_odds, labelled.is_disc)
        for log_odds in (CURRENT_WEIGHTS.log_odds(labelled.features), cross_validate(labelled))
    ]
    for name in ("missed", "extra"):
        now, new = (getattr(counts, name) for counts in wrong)
        lines.append(f"{'wrongly judged, ' + name:24}{now:10}{new:10}")
    lines += ["", f"The trained weights were held against unseen pictures, in {_FOLDS} parts."]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the weights for the folders' pictures; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m sample_images.train_rims.train_rim_classifier",
        description="Fit the weights of the rim classifier again.",
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    folders = parser.parse_args(arguments).folders
    try:
        work = [picture for folder in folders for picture in load_pictures_with_truth(folder)]
    except InputFileError as error:
        print(error, file=sys.stderr)
        return 1
    labelled = collect_circles(work)
    if not _is_enough(labelled):
        print(
            "There are too few circles to learn from: name folders with several pictures of boards "
            "with discs on them, each with its truth file beside it.",
            file=sys.stderr,
        )
        return 1
    print(format_report(labelled))
    return 0


def _is_enough(labelled: LabelledCircles) -> bool:
    """Whether there are discs and others in at least two parts of the pictures."""
    fold = labelled.picture % _FOLDS
    return all(len(np.unique(fold[labelled.is_disc == kind])) > 1 for kind in (True, False))


if __name__ == "__main__":
    sys.exit(main())
