"""``python -m bench.unseen_pictures``: totals of pictures that no threshold was chosen on.

``renders`` draws boards from new seeds at 0 to 78 degrees; ``altered FOLDER...`` changes pictures
with truth, one change at a time: light, blur, noise, JPEG, size, colour, glare, shadow, odd rows.
Every silently wrong picture is listed, and written to ``--out`` for inspection.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from pathlib import Path

import cv2
import numpy as np

from bench.grading.photo_grade import PhotoGrade, grade_photo
from bench.grading.summary import summarise
from sample_images.clip_maker.make_still import make_still
from sample_images.renderer.generate.choices import Rng
from sample_images.renderer.picture_truth import TrueDisc, Truth, load_pictures_with_truth
from scorer.photo.score import score_reading
from vision.io.frame import Frame
from vision.read_photo import read_photo
from vision.rectify.luminance import decode_gamma, encode_gamma
from webapp.formats.score import score_json

#: Tilts of drawn boards, degrees, and sizes of their pictures, in turn.
_MOST_TILT_DEG = 78.0
_SIZES = ((960, 540), (768, 432), (960, 540), (1280, 720))
#: Largest side of altered pictures, px.
_LARGEST_PX = 2000
#: Figures are printed after every this many pictures.
_TOLD_EVERY = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TruePicture:
    """A picture (h, w, 3) BGR uint8 and its truth; ``kind`` is its kind of alteration."""

    name: str
    kind: str
    image: np.ndarray
    truth: Truth


def draw_renders(pictures: int, first_seed: int) -> Iterator[TruePicture]:
    """Boards from a number of seeds, with tilts spread evenly from 0 to 78 degrees, in random
    order.
    """
    tilts = np.linspace(0, _MOST_TILT_DEG, pictures)
    order = np.random.default_rng(first_seed).permutation(pictures)
    for k, tilt_deg in enumerate(tilts[order]):
        seed = first_seed + k
        still = make_still(seed, float(tilt_deg), _SIZES[k % len(_SIZES)])
        kind = f"{30 * int(tilt_deg // 30)} degrees and more"
        yield TruePicture(
            name=f"{seed} at {tilt_deg:.0f}", kind=kind, image=still.image, truth=still.truth
        )


def _spread_side(image: np.ndarray, rng: Rng) -> np.ndarray:
    """A ramp (h, w) float32 across the picture, about -0.5 to 0.5, in any direction."""
    height, width = image.shape[:2]
    angle = rng.uniform(0, 2 * np.pi)
    y, x = np.mgrid[:height, :width]
    ramp = (x / width - 0.5) * np.cos(angle) + (y / height - 0.5) * np.sin(angle)
    return np.asarray(ramp, np.float32)


def _light(
    image: np.ndarray, factor: np.ndarray | float, added: np.ndarray | float = 0.0
) -> np.ndarray:
    """The picture in another light: linear light multiplied by a factor, plus an addition."""
    lit = encode_gamma(np.clip(decode_gamma(image) * factor + added, 0, 1))
    return np.rint(lit).astype(np.uint8)


def _light_side(image: np.ndarray, rng: Rng) -> np.ndarray:
    ramp = _spread_side(image, rng)[..., None]
    return _light(image, np.exp(rng.uniform(-2.5, 2.5) * ramp - 0.3))


def _blur(image: np.ndarray, rng: Rng) -> np.ndarray:
    sigma_px = rng.uniform(0.6, 1.8) * max(image.shape) / 1000
    soft = np.asarray(cv2.GaussianBlur(decode_gamma(image), (0, 0), sigma_px), np.float64)
    return np.rint(encode_gamma(soft)).astype(np.uint8)


def _add_noise(image: np.ndarray, rng: Rng) -> np.ndarray:
    noisy = image + rng.normal(0, rng.uniform(3, 10), image.shape)
    return np.rint(np.clip(noisy, 0, 255)).astype(np.uint8)


def _compress(image: np.ndarray, rng: Rng) -> np.ndarray:
    code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(12, 40))])[1]
    return np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR))


def _shrink(image: np.ndarray, rng: Rng) -> np.ndarray:
    share = rng.uniform(0.4, 0.75)
    return cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)


def _tint(image: np.ndarray, rng: Rng) -> np.ndarray:
    factor = np.array([rng.uniform(0.7, 1.15), 1.0, rng.uniform(0.8, 1.15)])
    return np.rint(np.clip(image * factor, 0, 255)).astype(np.uint8)


def _grey(image: np.ndarray, rng: Rng) -> np.ndarray:
    grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    share = rng.uniform(0.4, 0.8)
    return cv2.addWeighted(image, 1 - share, grey, share, 0)


def _add_glare(image: np.ndarray, rng: Rng) -> np.ndarray:
    height, width = image.shape[:2]
    y, x = np.mgrid[:height, :width]
    at_x, at_y = rng.uniform(0.25, 0.75) * width, rng.uniform(0.3, 0.7) * height
    radius = rng.uniform(0.06, 0.2) * width
    away2 = ((x - at_x) / radius) ** 2 + ((y - at_y) / (0.7 * radius)) ** 2
    return _light(image, 1.0, (rng.uniform(0.15, 0.8) * np.exp(-away2))[..., None])


def _add_shadow(image: np.ndarray, rng: Rng) -> np.ndarray:
    is_dark = (_spread_side(image, rng) > rng.uniform(-0.15, 0.15)).astype(np.float32)
    soft = cv2.GaussianBlur(is_dark, (0, 0), rng.uniform(2, 25))[..., None]
    return _light(image, 1 - rng.uniform(0.3, 0.65) * soft)


def _interlace(image: np.ndarray, rng: Rng) -> np.ndarray:
    moved = image.copy()
    moved[1::2] = np.roll(image, int(rng.integers(1, 3)), axis=1)[1::2]
    return moved


#: A change of a picture (h, w, 3) BGR uint8, by its name.
ALTERATIONS: Mapping[str, Callable[[np.ndarray, Rng], np.ndarray]] = {
    "darker": lambda image, rng: _light(image, rng.uniform(0.12, 0.5)),
    "brighter": lambda image, rng: _light(image, rng.uniform(1.3, 1.9)),
    "lit from a side": _light_side,
    "blurred": _blur,
    "noisy": _add_noise,
    "compressed": _compress,
    "smaller": _shrink,
    "tinted": _tint,
    "greyer": _grey,
    "with glare": _add_glare,
    "with a shadow": _add_shadow,
    "interlaced": _interlace,
}


def alter_pictures(folders: Sequence[Path], pictures: int, seed: int) -> Iterator[TruePicture]:
    """A number of altered copies of the pictures in the folders; folders and changes take turns."""
    work = [item for folder in folders for item in load_pictures_with_truth(folder)]
    work = [(path, truth) for path, truth in work if truth.has_board]
    names = list(ALTERATIONS)
    for k in islice(count(), pictures):
        turn, at = divmod(k, len(work))
        path, truth = work[at]
        name = names[(at + 5 * turn) % len(names)]
        image = np.asarray(cv2.imread(str(path), cv2.IMREAD_COLOR))
        share = min(1.0, _LARGEST_PX / max(image.shape))
        if share < 1:
            image = cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        altered = ALTERATIONS[name](image, np.random.default_rng((seed, k)))
        share *= altered.shape[1] / image.shape[1]
        yield TruePicture(
            name=f"{path.stem} {name}",
            kind=name,
            image=np.ascontiguousarray(altered),
            truth=truth if truth.is_metric else _scale(truth, share),
        )


def _scale(truth: Truth, share: float) -> Truth:
    """The truth of a picture that was shrunk by a factor."""

    def shrink(disc: TrueDisc) -> TrueDisc:
        return replace(disc, place=(share * disc.place[0], share * disc.place[1]))

    return replace(
        truth,
        discs=tuple(shrink(disc) for disc in truth.discs),
        gate=share * truth.gate,
        ignored=tuple((share * x, share * y) for x, y in truth.ignored),
        ignored_within=share * truth.ignored_within,
    )


def grade_picture(picture: TruePicture) -> PhotoGrade:
    """The grade of its score."""
    height, width = picture.image.shape[:2]
    frame = Frame(
        name=picture.name, image=picture.image, scale=1.0, width_px=width, height_px=height
    )
    entry = score_json(score_reading(frame, read_photo(frame)))
    return grade_photo(picture.name, picture.truth, entry)


def _describe(grades: Sequence[PhotoGrade]) -> str:
    figures = summarise(grades)
    return (
        f"{figures.images} pictures: {figures.boards_found} boards, {figures.exact_totals} exact, "
        f"{figures.settled} settled, {figures.asked_needlessly} asked needlessly, "
        f"{figures.silently_wrong} silently wrong"
    )


def main(arguments: list[str] | None = None) -> None:
    """Print the figures of all pictures, and of each kind."""
    parser = argparse.ArgumentParser(prog="python -m bench.unseen_pictures", description=__doc__)
    parser.add_argument("what", choices=["renders", "altered"])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--pictures", type=int, default=200)
    parser.add_argument("--seed", type=int, default=70_001, help="the first of them, for renders")
    parser.add_argument("--out", type=Path, help="a folder for silently wrong pictures")
    chosen = parser.parse_args(arguments)
    if chosen.what == "renders":
        pictures = draw_renders(chosen.pictures, chosen.seed)
    else:
        pictures = alter_pictures(chosen.folders, chosen.pictures, chosen.seed)
    grades: dict[str, list[PhotoGrade]] = defaultdict(list)
    for k, picture in enumerate(pictures, start=1):
        grade = grade_picture(picture)
        grades[picture.kind].append(grade)
        if grade.is_silently_wrong:
            print(f"silently wrong: {picture.name}, {grade.probability_right:.3f}", flush=True)
            if chosen.out is not None:
                chosen.out.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(chosen.out / f"{picture.name}.png"), picture.image)
        if k % _TOLD_EVERY == 0:
            print(_describe([one for some in grades.values() for one in some]), flush=True)
    for kind, some in grades.items():
        print(f"{kind}: {_describe(some)}")
    print(_describe([one for some in grades.values() for one in some]))


if __name__ == "__main__":
    main()
