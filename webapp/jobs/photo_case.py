"""A photo as a case: its picture, its reading and a person's corrections, in one zip.

``crokinole bench --truth`` reads such a zip, whose ``photo.json`` is a truth file. Everything but
the board is blurred, unless the whole picture is requested. That hides every face beyond the rail,
including those that a face detector would miss; hands over the board remain.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib.metadata import version
from io import BytesIO

import cv2
import numpy as np

from calibration.board import FloatArray
from calibration.circle import circle_mm
from calibration.json_text import format_json
from calibration.phrase import Phrase
from scorer.photo.corrections import (
    CorrectedDisc,
    Correction,
    apply_corrections,
    count_totals,
    describe_corrections,
    list_teams,
)
from vision.io.encode_picture import encode_jpeg
from webapp.jobs.snapshot_job import SHOWN_RADII, SnapshotResult

_CASE, _TRUTH, _PHOTO = "case.json", "photo.json", "photo.jpg"
#: Blocks of this share of the board's width become one colour: 17 cm at the board, the width of a
#: face.
_BLOCK_BOARDS = 1 / 4


class PhotoOutcome(StrEnum):
    """The result of a reading."""

    SETTLED = "settled"
    ASKED = "asked"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedScore:
    """The round saved from a photo: its place in a match's log, and points without 20s."""

    match: int
    place: int
    on_board: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoCase:
    """A case for lists.

    corrections  a person's corrections, in words
    saved        None if it was not saved as a round, or an earlier version kept it
    """

    key: str
    at: str
    outcome: PhotoOutcome
    corrections: tuple[str, ...]
    saved: SavedScore | None = None


def pack_case(
    key: str,
    at: str,
    seen: SnapshotResult,
    corrections: Sequence[Correction],
    photo: bytes,
    saved: SavedScore | None,
) -> bytes:
    """The zip of a scored photo; ``photo`` is its JPEG as shown."""
    assert seen.view is not None
    assert seen.score.reading is not None
    board = seen.score.reading.board
    assert board is not None
    discs = apply_corrections(seen.score, corrections)
    corrected = describe_corrections(discs)
    board_mm = circle_mm((0.0, 0.0), SHOWN_RADII * board.spec.surface_radius_mm, 90)
    case = {
        "key": key,
        "at": at,
        "outcome": _find_outcome(was_asked=seen.score.needs_review, is_corrected=bool(corrected)),
        "corrections": corrected,
        "saved": saved and asdict(saved),
        "version": version("crokinole-referee"),
        "board_px": np.rint(seen.view.project_plane(board_mm)).astype(int).tolist(),
        "reading": seen.form,
    }
    files = {_CASE: case, _TRUTH: _make_truth(seen, discs)}
    return pack_files({name: _encode(file) for name, file in files.items()} | {_PHOTO: photo})


def pack_shot(facts: dict[str, object], pictures: Mapping[str, bytes | None]) -> bytes:
    """The zip of a shot that a camera saw: its event and settings, and the available pictures."""
    case = _encode({"version": version("crokinole-referee"), **facts})
    kept = {name: picture for name, picture in pictures.items() if picture is not None}
    return pack_files({"shot.json": case} | kept)


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """A zip of these files."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _find_outcome(*, was_asked: bool, is_corrected: bool) -> PhotoOutcome:
    if was_asked:
        return PhotoOutcome.ASKED
    return PhotoOutcome.WRONG if is_corrected else PhotoOutcome.SETTLED


def read_case(packed: bytes) -> PhotoCase:
    """The case in a zip. Raises ``ValueError`` if there is none."""
    try:
        content = json.loads(_read(packed, _CASE))
        saved = content.get("saved")
        return PhotoCase(
            key=str(content["key"]),
            at=str(content["at"]),
            outcome=PhotoOutcome(content["outcome"]),
            corrections=tuple(map(str, content["corrections"])),
            saved=saved and SavedScore(**saved | {"on_board": tuple(saved["on_board"])}),
        )
    except (zipfile.BadZipFile, KeyError, TypeError) as error:
        raise ValueError(
            Phrase(
                "This file does not contain a report of a wrong call. Choose the "
                "zip file of a report."
            )
        ) from error


def read_photo(packed: bytes) -> bytes:
    """The picture in a case, JPEG."""
    return _read(packed, _PHOTO)


def hide_surroundings(packed: bytes) -> bytes:
    """The case with everything beyond the board made unrecognisable."""
    board_px = np.array(json.loads(_read(packed, _CASE))["board_px"], dtype=float)
    rest = {name: _read(packed, name) for name in (_CASE, _TRUTH)}
    return pack_files(rest | {_PHOTO: blur_around(_read(packed, _PHOTO), board_px)})


def blur_around(jpeg: bytes, board_px: FloatArray | None = None) -> bytes:
    """The picture, blurred strongly except for a board.

    board_px  the board's outline (n, 2); None: the circle that fills a square picture
    """
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    height, width = picture.shape[:2]
    if board_px is None:
        board_px = circle_mm((width / 2, height / 2), width / 2, 90)
    block_px = max(1.0, _BLOCK_BOARDS * float(np.ptp(board_px, axis=0).max()))
    size = max(1, round(width / block_px)), max(1, round(height / block_px))
    coarse = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    hidden = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR)
    outline = np.rint(board_px).astype(np.int32)
    mask = cv2.fillPoly(np.zeros((height, width, 1), np.uint8), [outline], 1)
    return encode_jpeg(np.where(mask, picture, hidden))


def _encode(content: dict[str, object]) -> bytes:
    return format_json(content, indent=1).encode()


def _read(packed: bytes, name: str) -> bytes:
    with zipfile.ZipFile(BytesIO(packed)) as archive:
        return archive.read(name)


def _make_truth(seen: SnapshotResult, discs: Sequence[CorrectedDisc]) -> dict[str, object]:
    """A labelled picture's truth file: discs with known places, and the totals."""
    assert seen.view is not None
    names = {team.number: team.colour_name for team in list_teams(seen.score)}
    here = {disc.team.number for disc in discs}
    return {
        "discs": [
            {
                "team": names[disc.team.number],
                "zone": disc.zone,
                "px": seen.view.project_plane(np.array([disc.at_mm]))[0].round(1).tolist(),
                "state": str(disc.read.disc.state) if disc.read else "flat",
            }
            for disc in discs
            if not disc.is_removed and disc.at_mm is not None
        ],
        "totals": {
            names[total.team]: total.points
            for total in count_totals(seen.score, discs)
            if total.team in here
        },
    }
