"""One picture, decoded and upright, or the reason why it cannot be read.

OpenCV decodes plain JPEGs and reduces them in the decoder. Pillow decodes all other files (HEIC,
PNG, WebP, CMYK, deep grey, truncated files), averaged to the same pixel grid. The first bytes of a
file decide which decoder is used: a file that is no photo is not decoded, even if Pillow knows its
format. Sizes are checked before decoding. The missing part of a truncated file is marked, never
filled in.
"""

from __future__ import annotations

import importlib
import io
import sys
import warnings
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from calibration.phrase import Phrase
from vision.io import exif
from vision.io.file_kind import choose_decoder, is_film
from vision.io.frame_converter import Turn
from vision.io.jpeg_work import DecodingWorkError, check_decoding_work

#: A frame's long side is at most this: twice as long as a sub-pixel fit of the rings needs.
MAX_LONG_SIDE_PX = 2800
#: JPEG decoders can skip work for these reductions.
_REDUCTIONS = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}
#: More pixels than most cameras deliver; decoding takes at least four bytes per pixel.
MAX_PIXELS = 120_000_000
#: More pixels than any phone delivers (200 megapixels). A JPEG that is decoded in one pass and
#: reduced on the way only needs memory for a few rows.
MAX_ONE_PASS_PIXELS = 220_000_000
#: In a smaller picture a disc is some four pixels across and nothing can be measured.
MIN_SHORT_SIDE_PX = 80
#: Larger than any camera's file; a larger file is not a photo.
MAX_FILE_BYTES = 400_000_000
#: The reason why a file is not a photo.
_FILM_REASON = Phrase("This is a video. Choose a photo, or one frame of the video.")
_BROKEN_REASON = Phrase(
    "This file is not a photo, or it is damaged. Use a complete JPEG, PNG, WebP, HEIC or AVIF file."
)
#: Modes that Pillow can average.
_AVERAGED_MODES = ("L", "RGB", "RGBA", "CMYK", "I", "F")
#: EXIF orientations in which a stored row, or column, runs opposite to the upright picture.
_REVERSED_X, _REVERSED_Y = (2, 3, 7, 8), (3, 4, 6, 7)
#: A truncated JPEG ends inside a row of blocks; a row of blocks is at most this high.
_JPEG_BLOCK_ROWS = 16
#: JPEG markers (ITU-T T.81, table B.1): frames of sequential DCT with Huffman codes, start of scan,
#: end of image.
_JPEG_SEQUENTIAL = (0xC0, 0xC1)
_JPEG_START_OF_SCAN = 0xDA
_JPEG_END = b"\xff\xd9"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """A picture after EXIF rotation, reduced if it is very large.

    image      (height, width, 3) uint8, BGR
    scale      pixels of ``image`` per stored pixel (1.0, 0.5, 0.25)
    width_px, height_px  size of the stored picture after rotation
    focal_px   focal length from EXIF in stored pixels, None if the file has none
    missing_px part of ``image`` (left, top, right, bottom) that is missing from a truncated file
    notes      messages for the user, such as "the file is truncated"
    """

    name: str
    image: np.ndarray
    scale: float
    width_px: int
    height_px: int
    focal_px: float | None = None
    missing_px: tuple[int, int, int, int] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadablePicture:
    """A picture that cannot be read; ``reason`` is one sentence with the remedy."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Header:
    """The header of a file. Sizes are as stored, before rotation."""

    width_px: int
    height_px: int
    is_plain_jpeg: bool  # the fast decoder reads it correctly
    is_truncated: bool
    orientation: int
    focal_px: float | None


def read_frame(path: str | Path, *, max_pixels: int = MAX_PIXELS) -> Frame | UnreadablePicture:
    """The picture in a file, upright and at most ``MAX_LONG_SIDE_PX`` long, or the reason why there
    is none.

    Does not raise: a missing, foreign or broken file gives an ``UnreadablePicture``.
    """
    name = str(path)
    data = _read_bytes(Path(path))
    if isinstance(data, str):
        return UnreadablePicture(name=name, reason=data)
    return decode_frame(data, name, max_pixels=max_pixels)


def decode_frame(
    data: bytes,
    name: str,
    *,
    max_pixels: int = MAX_PIXELS,
    max_one_pass_pixels: int = MAX_ONE_PASS_PIXELS,
) -> Frame | UnreadablePicture:
    """The picture in a file's bytes; messages call it ``name``.

    A picture of more than ``max_pixels`` is refused before decoding, unless it is a JPEG of at most
    ``max_one_pass_pixels`` that can be decoded in one pass.
    """
    header = _read_header(data, max_pixels, max_one_pass_pixels)
    if isinstance(header, str):
        return UnreadablePicture(name=name, reason=header)
    factor = _choose_reduction(header.width_px, header.height_px)
    upright: np.ndarray | str | None
    try:
        upright = _decode_upright(data, header, factor)
    except MemoryError:
        upright = Phrase("There is not enough memory for a photo this large. Save a smaller copy.")
    except Exception:  # noqa: BLE001  # foreign decoders raise anything on a broken file
        upright = None
    if upright is None:
        upright = Phrase("The photo is damaged. Copy it again from the camera.")
    if isinstance(upright, str):
        return UnreadablePicture(name=name, reason=upright)
    width_px, height_px = _upright_size(header)
    frame = Frame(
        name=name,
        image=upright,
        scale=1.0 / factor,
        width_px=width_px,
        height_px=height_px,
        focal_px=header.focal_px,
    )
    return _mark_missing(frame, header.orientation) if header.is_truncated else frame


def decode_whole(data: bytes) -> np.ndarray | None:
    """A video frame in full size from a picture file's bytes: (h, w, 3) uint8 BGR, upright.

    None if it is not a photo, is damaged, or has more than ``MAX_PIXELS``.
    """
    try:
        with warnings.catch_warnings(action="ignore"), _open_picture(data) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                return None
            orientation = exif.read_orientation(picture.getexif())
            return _rotate_upright(_convert_to_bgr(picture), orientation)
    except Exception:  # noqa: BLE001  # foreign decoders raise anything on a broken file
        return None


def read_upright_size(data: bytes) -> tuple[int, int] | None:
    """Height and width, px, of the photo in a file's bytes, as it is displayed.

    None if it is not a photo, is cut short, or has more than ``MAX_PIXELS``.
    """
    header = _read_header(data)
    if isinstance(header, str) or header.is_truncated:
        return None
    return _upright_size(header)[::-1]


def _read_bytes(path: Path) -> bytes | str:
    """The bytes of a file, or of standard input for ``-``, or the reason why there are none."""
    try:
        is_input = str(path) == "-"
        if not is_input and path.is_dir():
            return Phrase("This is a folder. Choose the photos in it, for example folder/*.jpg.")
        if not is_input and not path.exists():
            return Phrase("File not found. Check the name.")
        if not (is_input or path.is_file() or path.is_fifo()):
            return Phrase("This is not a file. Choose a photo.")
        with nullcontext(sys.stdin.buffer) if is_input else path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if not data:
            return Phrase("The file is empty. Copy it again from the camera.")
        if len(data) > MAX_FILE_BYTES:
            return Phrase("The file is too large for a photo. Choose a photo of the board.")
        return data
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        return Phrase(
            "The file cannot be opened (%(cause)s). Check its name and permissions.", cause=cause
        )


def _read_header(
    data: bytes, max_pixels: int = MAX_PIXELS, max_one_pass_pixels: int = 0
) -> _Header | str:
    """The file's header, without decoding pixels, or the reason to refuse it."""
    with warnings.catch_warnings(action="ignore"):  # about odd EXIF, which is checked here
        try:
            with _open_picture(data) as picture:
                header = _check_header(picture, data, max_pixels, max_one_pass_pixels)
        except DecodingWorkError as error:
            return str(error)
        except Image.DecompressionBombError:
            return _explain_pixel_limit(max_pixels)
        except Exception:  # noqa: BLE001  # foreign decoders raise anything on a broken file
            return _FILM_REASON if is_film(data) else _BROKEN_REASON
    if isinstance(header, str) or header.width_px * header.height_px <= max_pixels:
        return header
    factor = _choose_reduction(header.width_px, header.height_px)
    return header if _reduces_exactly(header, factor) else _explain_pixel_limit(max_pixels)


def _check_header(
    picture: Image.Image, data: bytes, max_pixels: int, max_one_pass_pixels: int
) -> _Header | str:
    width_px, height_px = picture.size
    is_jpeg = picture.format in ("JPEG", "MPO")
    is_truncated = is_jpeg and _lacks_end_marker(data)
    is_plain_jpeg = is_jpeg and picture.mode in ("L", "RGB") and not is_truncated
    is_one_pass = is_plain_jpeg and _is_one_pass_jpeg(data)
    most = max(max_pixels, max_one_pass_pixels) if is_one_pass else max_pixels
    if width_px * height_px > most:
        return _explain_pixel_limit(most)
    if min(width_px, height_px) < MIN_SHORT_SIDE_PX:
        return Phrase(
            "The photo is only %(width_px)s × %(height_px)s pixels. Use a larger one.",
            width_px=width_px,
            height_px=height_px,
        )
    factor = _choose_reduction(width_px, height_px)
    if max(width_px, height_px) > MAX_LONG_SIDE_PX * factor or (
        min(width_px, height_px) < MIN_SHORT_SIDE_PX * factor
    ):
        return Phrase(
            "The photo is a strip of %(width_px)s × %(height_px)s pixels. "
            "Choose one that shows the whole board.",
            width_px=width_px,
            height_px=height_px,
        )
    # For a PNG without EXIF, asking for it would decode the whole picture.
    tags = (
        Image.Exif()
        if picture.format == "PNG" and "exif" not in picture.info
        else picture.getexif()
    )
    return _Header(
        width_px=width_px,
        height_px=height_px,
        is_plain_jpeg=is_plain_jpeg,
        is_truncated=is_truncated,
        orientation=exif.read_orientation(tags),
        focal_px=exif.read_focal_px(tags, width_px, height_px),
    )


def _explain_pixel_limit(max_pixels: int) -> str:
    return Phrase(
        "The photo is over %(max_pixels)s megapixels. Save a smaller copy, "
        "or use the camera's original file.",
        max_pixels=max_pixels // 1_000_000,
    )


def _is_one_pass_jpeg(data: bytes) -> bool:
    """Whether a decoder produces the picture row by row, reduced if wanted, and keeps only a few
    rows.

    True for sequential JPEGs whose first scan holds all components.
    """
    at, components = 2, 0
    while at + 10 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == _JPEG_START_OF_SCAN:
            return data[at + 4] == components
        if marker in _JPEG_SEQUENTIAL:
            components = data[at + 9]
        at += 1 if marker == 0xFF else 2 + length  # fill bytes may precede a marker
    return False


def _lacks_end_marker(data: bytes) -> bool:
    """Whether a JPEG lacks its end marker. Preview pictures inside its header have markers of their
    own.
    """
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == _JPEG_START_OF_SCAN:
            return data.rfind(_JPEG_END, at) < 0
        at += 1 if marker == 0xFF else 2 + length  # fill bytes may precede a marker
    return True


def _choose_reduction(width_px: int, height_px: int) -> int:
    """Number of stored pixels averaged into one: the smallest power of two that makes the picture
    small enough.

    It is at most 8, so an extreme strip stays too long.
    """
    factor = 1
    while max(width_px, height_px) > MAX_LONG_SIDE_PX * factor and factor < 8:
        factor *= 2
    return factor


def _upright_size(header: _Header) -> tuple[int, int]:
    size = header.width_px, header.height_px
    return (size[1], size[0]) if header.orientation >= 5 else size


def _decode_upright(data: bytes, header: _Header, factor: int) -> np.ndarray | None:
    """Pixels (height, width, 3) BGR, upright, averaged over factor x factor stored pixels."""
    if header.is_plain_jpeg and _reduces_exactly(header, factor):
        flags = _REDUCTIONS[factor] | cv2.IMREAD_IGNORE_ORIENTATION
        reduced = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
        return None if reduced is None else _rotate_upright(reduced, header.orientation)
    return _rotate_upright(_decode_slowly(data, header, factor), header.orientation)


def _reduces_exactly(header: _Header, factor: int) -> bool:
    """Whether the pixel grid stays the same if the picture is reduced before it is turned. Turning
    moves an incomplete last column.
    """
    ragged = header.width_px % factor or header.height_px % factor
    return not ragged or header.orientation in (1, 5)


def _decode_slowly(data: bytes, header: _Header, factor: int) -> np.ndarray:
    """Reduced pixels as BGR, not turned, from a file of any format and depth."""
    if header.is_truncated:
        data = data + _JPEG_END  # the decoder then fills the missing part with grey
    with _open_picture(data) as picture:
        picture.load()
        return _convert_to_bgr(_reduce(picture, header.orientation, factor))


def _reduce(picture: Image.Image, orientation: int, factor: int) -> Image.Image:
    """The picture with factor x factor pixels averaged into one.

    An incomplete edge is dropped if it ends up on the right or at the bottom after the turn.
    """
    if factor == 1:
        return picture
    spare_x, spare_y = picture.width % factor, picture.height % factor
    left = spare_x if orientation in _REVERSED_X else 0
    top = spare_y if orientation in _REVERSED_Y else 0
    right, bottom = picture.width - spare_x + left, picture.height - spare_y + top
    if picture.mode not in _AVERAGED_MODES:
        picture = picture.convert(_choose_averaged_mode(picture))
    return picture.reduce(factor, box=(left, top, right, bottom))


def _choose_averaged_mode(picture: Image.Image) -> str:
    """The mode to convert a palette, bits or deep grey to, so that neighbouring pixels can be
    averaged.
    """
    if picture.mode.startswith("I"):
        return "I"
    return "RGBA" if picture.has_transparency_data else "RGB"


def _open_picture(data: bytes) -> Image.Image:
    """The picture, with its header read by the decoder that its first bytes indicate.

    Sizes about which Pillow only warns are within this module's limit. Raises ``ValueError`` and
    any error of the decoder.
    """
    name, module = choose_decoder(data)
    if name == "JPEG":
        check_decoding_work(data)
    plugin = importlib.import_module(module)
    if name == "HEIF":
        plugin.register_heif_opener()
    with warnings.catch_warnings(action="ignore", category=Image.DecompressionBombWarning):
        if name == "JPEG":  # of any size, because the size is checked here
            return plugin.jpeg_factory(io.BytesIO(data))
        return Image.open(io.BytesIO(data), formats=[name])


def _convert_to_bgr(picture: Image.Image) -> np.ndarray:
    """Any decoded picture as (height, width, 3) uint8 BGR; transparent pixels become white."""
    if picture.mode.startswith(("I", "F")):
        return cv2.cvtColor(_convert_to_uint8(np.asarray(picture)), cv2.COLOR_GRAY2BGR)
    if picture.has_transparency_data:
        picture = picture.convert("RGBA")
        white = Image.new("RGBA", picture.size, "white")
        picture = Image.alpha_composite(white, picture)
    return cv2.cvtColor(np.asarray(picture.convert("RGB")), cv2.COLOR_RGB2BGR)


def _convert_to_uint8(grey: np.ndarray) -> np.ndarray:
    """Deep grey (height, width) as uint8: 16-bit values scaled by their full range, others by the
    values present.
    """
    if grey.dtype.kind in "iu" and grey.min() >= 0 and grey.max() <= 0xFFFF:
        return np.round(grey / 257.0).astype(np.uint8)
    low, high = float(np.nanmin(grey)), float(np.nanmax(grey))
    span = max(high - low, 1e-9)
    return np.round((np.nan_to_num(grey) - low) * (255.0 / span)).clip(0, 255).astype(np.uint8)


def _rotate_upright(image: np.ndarray, orientation: int) -> np.ndarray:
    """The picture upright, by the eight EXIF orientations."""
    flip = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}.get(orientation)
    return Turn(is_transposed=orientation >= 5, flip=flip).apply(image)


def _mark_missing(frame: Frame, orientation: int) -> Frame:
    """The frame of a truncated file, with its missing part marked."""
    height, width = frame.image.shape[:2]
    is_transposed = orientation >= 5  # the last stored rows are columns after the turn
    is_reversed = orientation in _REVERSED_Y  # and they come first after the turn
    rows = frame.image.transpose(1, 0, 2) if is_transposed else frame.image
    missing = _count_filled_rows(rows[::-1] if is_reversed else rows, frame.scale)
    if missing == 0:
        note = Phrase("The end of the file is missing, but the photo is complete.")
        return replace(frame, notes=(*frame.notes, note))
    first = 0 if is_reversed else len(rows) - missing
    last = first + missing
    note = Phrase(
        "The file is incomplete: %(missing_percent).0f%% of the photo is missing. Copy "
        "it again from the camera.",
        missing_percent=100 * missing / len(rows),
    )
    box = (first, 0, last, height) if is_transposed else (0, first, width, last)
    return replace(frame, missing_px=box, notes=(*frame.notes, note))


def _count_filled_rows(rows: np.ndarray, scale: float) -> int:
    """Number of rows at the end that the decoder filled in: all have the single colour of the last
    row.
    """
    flat = rows.reshape(len(rows), -1)
    is_fill = np.all(flat == flat[-1], axis=1) & (np.ptp(rows, axis=(1, 2)) <= 1)
    real = np.flatnonzero(~is_fill)
    whole = int(real[-1]) + 1 if len(real) else 0
    if whole == len(rows):
        return 0
    return min(len(rows), len(rows) - whole + round(_JPEG_BLOCK_ROWS * scale))
