"""Every kind of picture file that a person may use, made here byte by byte."""

from __future__ import annotations

import io
import struct
import time
import zlib
from pathlib import Path

import cv2
import numpy as np
import pillow_heif
import pytest
from PIL import Image

from vision.io.frame import (
    MAX_ONE_PASS_PIXELS,
    MAX_PIXELS,
    Frame,
    UnreadablePicture,
    decode_frame,
    read_frame,
)

ORIENTATION, EXIF_BLOCK = 0x0112, 0x8769
WIDTH, HEIGHT, FOCAL_35MM = 0xA002, 0xA003, 0xA405
#: Largest mean difference in grey levels of JPEG at quality 95 on these smooth pictures.
JPEG_LEVELS = 3.0


def scene(width: int, height: int) -> np.ndarray:
    """A picture (height, width, 3) RGB in which every corner and direction differs."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    ripple = 0.5 + 0.5 * np.sin(9 * x + 4 * y)
    return (255 * np.stack([x, y, 0.2 + 0.6 * ripple], axis=-1)).round().astype(np.uint8)


def large_scene(width: int, height: int) -> np.ndarray:
    """The same for a picture of several megapixels, made quickly."""
    return cv2.resize(scene(width // 10, height // 10), (width, height))


def encoded(rgb: np.ndarray, kind: str = "JPEG", mode: str = "RGB", **options: object) -> bytes:
    file = io.BytesIO()
    if kind == "JPEG":
        options = {"quality": 95, "subsampling": 0} | options
    Image.fromarray(rgb).convert(mode).save(file, kind, **options)
    return file.getvalue()


def exif_bytes(*, orientation: int = 1, **block: object) -> bytes:
    tags = Image.Exif()
    tags[ORIENTATION] = orientation
    names = {"width": WIDTH, "height": HEIGHT, "focal_35mm": FOCAL_35MM}
    for name, value in block.items():
        tags.get_ifd(EXIF_BLOCK)[names[name]] = value
    return tags.tobytes()


def read(data: bytes) -> Frame:
    frame = decode_frame(data, "picture")
    assert isinstance(frame, Frame), frame
    return frame


def difference(frame: Frame, rgb: np.ndarray) -> float:
    assert frame.image.shape == rgb.shape
    assert frame.image.dtype == np.uint8
    return float(np.abs(frame.image[..., ::-1].astype(float) - rgb).mean())


def png_header_claiming(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 100)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


def jpeg_header_claiming(width: int, height: int) -> bytes:
    data = bytearray(encoded(scene(160, 120)))
    start = data.index(b"\xff\xc0")
    data[start + 5 : start + 9] = struct.pack(">HH", height, width)
    return bytes(data)


def test_an_ordinary_jpeg_is_read_as_it_is() -> None:
    rgb = scene(640, 480)
    frame = read(encoded(rgb))
    assert difference(frame, rgb) < JPEG_LEVELS
    assert (frame.scale, frame.width_px, frame.height_px) == (1.0, 640, 480)
    assert frame.focal_px is None
    assert frame.missing_px is None
    assert frame.notes == ()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("text.jpg", b"Dear opponent, this was clearly a fifteen.\n" * 40, "not a photo"),
        ("empty.jpg", b"", "empty"),
        ("stub.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF", "not a photo"),
        ("tiny.png", encoded(scene(20, 20), "PNG"), "Use a larger one"),
    ],
)
def test_a_file_without_a_picture_gives_one_sentence(
    tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    result = read_frame(path)
    assert isinstance(result, UnreadablePicture)
    assert result.name == str(path)
    assert says in result.reason
    assert result.reason.endswith(".")
    assert "\n" not in result.reason


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    result = read_frame(tmp_path / "nowhere.jpg")
    assert isinstance(result, UnreadablePicture)
    assert "File not found" in result.reason


def test_a_folder_says_so(tmp_path: Path) -> None:
    result = read_frame(tmp_path)
    assert isinstance(result, UnreadablePicture)
    assert "folder" in result.reason


def test_a_name_no_file_can_have_says_so() -> None:
    assert isinstance(read_frame("a\0b.jpg"), UnreadablePicture)
    assert isinstance(read_frame("x" * 5000), UnreadablePicture)


@pytest.mark.parametrize("header", [png_header_claiming, jpeg_header_claiming])
def test_a_header_that_claims_a_monstrous_size_is_refused_without_decoding(header) -> None:
    started = time.perf_counter()
    result = decode_frame(header(60_000, 60_000), "bomb")
    assert isinstance(result, UnreadablePicture)
    assert "megapixels" in result.reason
    assert time.perf_counter() - started < 5  # decoding would need ten gigabytes


def test_a_header_just_over_the_limit_is_refused() -> None:
    result = decode_frame(png_header_claiming(12_100, 10_000), "large")
    assert isinstance(result, UnreadablePicture)
    assert "120 megapixels" in result.reason


def decode_up_to(data: bytes, max_pixels: int, max_one_pass_pixels: int) -> object:
    return decode_frame(
        data, "large", max_pixels=max_pixels, max_one_pass_pixels=max_one_pass_pixels
    )


def test_a_phones_largest_jpegs_are_within_the_limit_of_those_read_in_one_pass() -> None:
    for width, height in ((12_000, 9_000), (16_320, 12_240)):  # 108 and 200 megapixels
        assert MAX_PIXELS < 16_320 * 12_240 <= MAX_ONE_PASS_PIXELS
        result = decode_frame(jpeg_header_claiming(width, height), "phone")
        assert not isinstance(result, UnreadablePicture) or "megapixels" not in result.reason


def test_a_jpeg_read_in_one_pass_may_have_more_pixels_than_other_pictures() -> None:
    rgb = large_scene(4000, 3000)
    pictures = [encoded(rgb, **options) for options in ({}, {"subsampling": 2}, {"mode": "L"})]
    for picture in pictures:
        frame = decode_up_to(picture, 1_000_000, 12_000_000)
        assert isinstance(frame, Frame)
        assert frame.image.shape == (1500, 2000, 3)
    refused = decode_up_to(pictures[0], 1_000_000, 11_999_999)
    assert isinstance(refused, UnreadablePicture)
    assert "megapixels" in refused.reason


def in_two_scans(data: bytes) -> bytes:
    """The JPEG, changed so that its first scan holds only one of its components."""
    at = data.index(b"\xff\xda")
    return data[: at + 4] + b"\x01" + data[at + 5 :]


@pytest.mark.parametrize(
    "data",
    [
        encoded(scene(400, 300), progressive=True),
        encoded(scene(400, 300), mode="CMYK"),
        encoded(scene(400, 300), "PNG"),
        encoded(scene(400, 300))[:-200],
        in_two_scans(encoded(scene(400, 300))),
    ],
    ids=["progressive", "CMYK", "PNG", "broken off", "two scans"],
)
def test_no_other_picture_may_have_more_pixels_for_its_decoder_holds_them_all(data: bytes) -> None:
    refused = decode_up_to(data, 100_000, 1_000_000)
    assert isinstance(refused, UnreadablePicture)
    assert "megapixels" in refused.reason


def test_a_large_jpeg_whose_reduction_would_not_keep_the_pixel_grid_is_refused() -> None:
    turned = exif_bytes(orientation=6)
    even, ragged = (encoded(large_scene(width, 3000), exif=turned) for width in (4000, 3999))
    assert isinstance(decode_up_to(even, 1_000_000, 12_000_000), Frame)
    assert isinstance(decode_up_to(ragged, 1_000_000, 12_000_000), UnreadablePicture)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_every_exif_orientation_comes_out_upright(orientation: int, kind: str) -> None:
    rgb = scene(240, 160)
    undo = {
        1: rgb,
        2: rgb[:, ::-1],
        3: rgb[::-1, ::-1],
        4: rgb[::-1],
        5: rgb.transpose(1, 0, 2),
        6: np.rot90(rgb, 1),
        7: np.rot90(rgb, 2).transpose(1, 0, 2),
        8: np.rot90(rgb, -1),
    }
    options = {"lossless": True} if kind == "WEBP" else {}
    stored = np.ascontiguousarray(undo[orientation])
    frame = read(encoded(stored, kind, exif=exif_bytes(orientation=orientation), **options))
    assert (frame.width_px, frame.height_px) == (240, 160)
    assert difference(frame, rgb) < JPEG_LEVELS


def test_an_absurd_orientation_counts_as_upright() -> None:
    rgb = scene(240, 160)
    assert difference(read(encoded(rgb, exif=exif_bytes(orientation=77))), rgb) < JPEG_LEVELS


def test_grey_becomes_three_equal_channels() -> None:
    frame = read(encoded(scene(240, 160), mode="L"))
    assert frame.image.shape == (160, 240, 3)
    assert np.ptp(frame.image, axis=2).max() == 0


def test_sixteen_bit_grey_keeps_its_tones() -> None:
    levels = np.linspace(0, 65535, 200).astype(np.uint16)
    ok, png = cv2.imencode(".png", np.tile(levels, (120, 1)))
    assert ok
    frame = read(png.tobytes())
    assert np.abs(frame.image[60, :, 1] - levels / 257.0).max() < 1.01


def test_sixteen_bit_colour_keeps_its_tones() -> None:
    rgb = scene(240, 160)
    ok, png = cv2.imencode(".png", rgb[..., ::-1].astype(np.uint16) * 257)
    assert ok
    assert difference(read(png.tobytes()), rgb) < 0.6


def test_transparent_pixels_become_white() -> None:
    rgb = scene(240, 160)
    alpha = np.full((160, 240, 1), 255, np.uint8)
    alpha[:, :100] = 0
    file = io.BytesIO()
    Image.fromarray(np.concatenate([rgb, alpha], axis=2)).save(file, "PNG")
    frame = read(file.getvalue())
    assert (frame.image[:, :100] == 255).all()
    assert np.abs(frame.image[:, 100:, ::-1].astype(int) - rgb[:, 100:]).max() == 0


def test_a_palette_picture_keeps_its_colours() -> None:
    rgb = np.zeros((100, 120, 3), np.uint8)
    rgb[:, 60:] = (204, 51, 51)
    assert difference(read(encoded(rgb, "PNG", mode="P")), rgb) < JPEG_LEVELS


def test_cmyk_jpeg_keeps_its_colours() -> None:
    rgb = scene(240, 160)
    assert difference(read(encoded(rgb, mode="CMYK")), rgb) < JPEG_LEVELS


@pytest.mark.parametrize("progressive", [False, True])
def test_progressive_and_baseline_read_alike(progressive: bool) -> None:
    rgb = scene(320, 200)
    assert difference(read(encoded(rgb, progressive=progressive)), rgb) < JPEG_LEVELS


def test_a_phone_picture_with_a_second_one_inside_is_its_first() -> None:
    rgb = scene(320, 200)
    file = io.BytesIO()
    depth_map = Image.fromarray(scene(160, 100))
    Image.fromarray(rgb).save(
        file, "MPO", save_all=True, append_images=[depth_map], quality=95, subsampling=0
    )
    frame = read(file.getvalue())
    assert difference(frame, rgb) < JPEG_LEVELS
    assert frame.notes == ()
    assert read(file.getvalue()[:-500]).missing_px is None  # the second picture is cut


def test_heic_from_a_phone_is_read(tmp_path: Path) -> None:
    rgb = scene(320, 240)
    path = tmp_path / "IMG_0001.HEIC"
    pillow_heif.from_pillow(Image.fromarray(rgb)).save(path, quality=95)
    frame = read_frame(path)
    assert isinstance(frame, Frame)
    assert difference(frame, rgb) < JPEG_LEVELS


def test_heic_is_turned_once_only(tmp_path: Path) -> None:
    rgb = scene(320, 240)
    path = tmp_path / "turned.heic"
    stored = Image.fromarray(np.ascontiguousarray(np.rot90(rgb, 1)))
    heif = pillow_heif.from_pillow(stored)
    heif.save(path, quality=95, exif=exif_bytes(orientation=6, focal_35mm=26))
    frame = read_frame(path)
    assert isinstance(frame, Frame)
    assert (frame.width_px, frame.height_px) == (320, 240)
    assert difference(frame, rgb) < JPEG_LEVELS
    assert frame.focal_px == pytest.approx(26 * 400 / 43.267, rel=1e-3)


def test_a_broken_heic_gives_one_sentence() -> None:
    result = decode_frame(b"\0\0\0\x18ftypheic" + b"\0" * 400, "broken")
    assert isinstance(result, UnreadablePicture)


def test_webp_named_jpg_is_read(tmp_path: Path) -> None:
    rgb = scene(320, 240)
    path = tmp_path / "chat.jpg"
    path.write_bytes(encoded(rgb, "WEBP", lossless=True))
    frame = read_frame(path)
    assert isinstance(frame, Frame)
    assert difference(frame, rgb) < 1e-9


def test_a_tiny_picture_is_not_reduced() -> None:
    frame = read(encoded(scene(200, 150)))
    assert frame.image.shape == (150, 200, 3)
    assert frame.scale == 1.0


@pytest.mark.parametrize(
    ("size", "scale", "shape"),
    [
        ((2800, 2100), 1.0, (2100, 2800)),
        ((4032, 3024), 0.5, (1512, 2016)),
        ((8064, 6048), 0.25, (1512, 2016)),
    ],
    ids=["6 MP", "12 MP", "48 MP"],
)
def test_a_large_picture_is_reduced_by_a_power_of_two(size, scale, shape) -> None:
    frame = read(encoded(cv2.resize(scene(400, 300)[..., 0], size), quality=80))
    assert frame.scale == scale
    assert frame.image.shape[:2] == shape
    assert (frame.width_px, frame.height_px) == size


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "1", "I;16", "CMYK"])
def test_a_large_picture_of_any_mode_is_reduced(mode: str) -> None:
    rgb = np.zeros((600, 3000, 3), np.uint8)
    rgb[:, 1500:] = 255
    file = io.BytesIO()
    if mode == "I;16":
        Image.fromarray(rgb[..., 0].astype(np.uint16) * 257).save(file, "PNG")
    else:
        kind = "TIFF" if mode == "CMYK" else "PNG"
        Image.fromarray(rgb).convert(mode).save(file, kind)
    frame = read(file.getvalue())
    assert frame.scale == 0.5
    assert difference(frame, rgb[::2, ::2]) < JPEG_LEVELS


@pytest.mark.parametrize("size", [(3003, 2002), (3000, 2001)], ids=["ragged side", "ragged foot"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_reducing_keeps_the_pixel_centre_convention_in_every_orientation(orientation, size) -> None:
    """A stored size that is no multiple of the factor must not shift the picture by a pixel."""
    width, height = size  # stored
    spot = np.array([1200.0, 700.0])
    across, down = (
        np.exp(-((np.arange(size_px) - at_px) ** 2) / 5000)
        for size_px, at_px in zip(size, spot, strict=True)
    )
    stored = (240 * np.outer(down, across)).astype(np.uint8)
    frame = read(encoded(stored, exif=exif_bytes(orientation=orientation)))
    assert frame.scale == 0.5
    weight = cv2.subtract(frame.image[..., 1], 10)
    columns, rows = (weight.sum(axis=axis, dtype=np.int64) for axis in (0, 1))
    centre = np.array([np.arange(len(sums)) @ sums for sums in (columns, rows)]) / weight.sum()
    upright = spot
    if orientation in (2, 3, 7, 8):
        upright = np.array([width - 1 - upright[0], upright[1]])
    if orientation in (3, 4, 6, 7):
        upright = np.array([upright[0], height - 1 - upright[1]])
    if orientation >= 5:
        upright = upright[::-1]
    assert np.abs((centre + 0.5) / frame.scale - 0.5 - upright).max() < 0.1


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_truncated_jpeg_marks_its_missing_part(orientation: int) -> None:
    noise = np.random.default_rng(5).integers(0, 256, (600, 800, 3), dtype=np.uint8)
    data = encoded(noise, exif=exif_bytes(orientation=orientation))
    frame = read(data[: int(len(data) * 0.6)])
    assert frame.missing_px is not None
    left, top, right, bottom = frame.missing_px
    missing = frame.image[top:bottom, left:right]
    assert 0.35 < missing.size / frame.image.size < 0.48
    middle = missing[20:-20, 20:-20]
    assert np.ptp(middle) == 0
    assert "incomplete" in frame.notes[0]
    assert "% of the photo is missing" in frame.notes[0]


def test_a_jpeg_that_lost_only_its_end_marker_is_whole() -> None:
    noise = np.random.default_rng(5).integers(0, 256, (600, 800, 3), dtype=np.uint8)
    frame = read(encoded(noise)[:-2])
    assert frame.missing_px is None
    assert "the photo is complete" in frame.notes[0]


def test_a_truncated_jpeg_with_a_preview_inside_is_still_noticed() -> None:
    preview = encoded(scene(160, 120))
    noise = np.random.default_rng(5).integers(0, 256, (600, 800, 3), dtype=np.uint8)
    data = encoded(noise)
    tucked_in = b"\xff\xe2" + struct.pack(">H", len(preview) + 2) + preview
    data = data[:2] + tucked_in + data[2:]
    assert read(data).notes == ()
    assert read(data[: len(data) // 2]).missing_px is not None


def test_a_damaged_png_gives_one_sentence() -> None:
    data = bytearray(encoded(scene(320, 240), "PNG"))
    start = data.index(b"IDAT") + 4
    data[start + 200 : start + 400] = bytes(200)
    result = decode_frame(bytes(data), "damaged.png")
    assert isinstance(result, UnreadablePicture)
    assert "damaged" in result.reason


def test_the_focal_length_follows_the_diagonal() -> None:
    frame = read(encoded(scene(800, 600), exif=exif_bytes(focal_35mm=26)))
    assert frame.focal_px == pytest.approx(26 * 1000 / 43.267, rel=1e-4)


def test_the_focal_length_survives_a_resize_and_a_turn() -> None:
    tags = exif_bytes(orientation=6, focal_35mm=26, width=4032, height=3024)
    frame = read(encoded(scene(800, 600), exif=tags))
    assert (frame.width_px, frame.height_px) == (600, 800)
    assert frame.focal_px == pytest.approx(26 * 1000 / 43.267, rel=1e-4)


def test_a_wide_picture_is_a_crop_of_a_four_by_three_sensor() -> None:
    frame = read(encoded(scene(1600, 720), exif=exif_bytes(focal_35mm=24)))
    assert frame.focal_px == pytest.approx(24 * 2000 / 43.267, rel=1e-4)


@pytest.mark.parametrize(
    ("size", "block"),
    [
        ((800, 600), {}),
        ((800, 600), {"focal_35mm": 0}),
        ((800, 600), {"focal_35mm": 65535}),
        ((800, 600), {"focal_35mm": 26, "width": 4032, "height": 2268}),
        ((700, 700), {"focal_35mm": 26}),
    ],
    ids=["absent", "zero", "absurd", "cropped since", "square"],
)
def test_an_untrustworthy_focal_length_is_none(size, block) -> None:
    assert read(encoded(scene(*size), exif=exif_bytes(**block))).focal_px is None
