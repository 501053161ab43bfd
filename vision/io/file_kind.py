"""The type of a file from its first bytes: a kind of photo with its decoder, a film, or neither.

Boxes of ISO base media files are recognised by their brands (ISO/IEC 14496-12, 4.3), AVI by its
RIFF form, Matroska and WebM by the identifier of EBML (RFC 8794, 11.2.1).
"""

from __future__ import annotations

#: The formats of photographs by their first bytes: the name of Pillow's decoder, and its module. No
#: other format is decoded, least of all by a program that Pillow would start (EPS).
_FORMATS = (
    (b"\xff\xd8\xff", "JPEG", "PIL.JpegImagePlugin"),
    (b"\x89PNG\r\n\x1a\n", "PNG", "PIL.PngImagePlugin"),
    (b"II*\0", "TIFF", "PIL.TiffImagePlugin"),
    (b"MM\0*", "TIFF", "PIL.TiffImagePlugin"),
    (b"BM", "BMP", "PIL.BmpImagePlugin"),
    (b"GIF8", "GIF", "PIL.GifImagePlugin"),
)
#: The brands of ISO base media files that hold AV1 stills; any other still is HEIC's.
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
#: MP4 and MOV name their first box after its length; photographs in such boxes name their brand.
_BOXES = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip")
_PICTURE_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"avif", b"avis")
_EBML = b"\x1a\x45\xdf\xa3"
#: MPEG transport streams are packets of this length, each of which begins with this byte.
_PACKET_BYTES, _SYNC_BYTE = 188, 0x47


def choose_decoder(data: bytes) -> tuple[str, str]:
    """The name of a file's decoder, and its module. Raises ``ValueError`` if it is not a photo."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP", "PIL.WebPImagePlugin"
    if data[4:8] == b"ftyp":
        end = min(int.from_bytes(data[:4], "big"), 256)
        brands = {data[at : at + 4] for at in range(8, end, 4) if at != 12}
        is_avif = bool(brands & _AVIF_BRANDS)
        return ("AVIF", "PIL.AvifImagePlugin") if is_avif else ("HEIF", "pillow_heif")
    for start, name, module in _FORMATS:
        if data.startswith(start):
            return name, module
    raise ValueError("no photograph")


def is_film(data: bytes) -> bool:
    """Whether a file begins like a film; a phone's photo may also be in boxes like MP4's."""
    if data[4:8] in _BOXES:
        return not (data[4:8] == b"ftyp" and data[8:12] in _PICTURE_BRANDS)
    is_avi = data[:4] == b"RIFF" and data[8:12] == b"AVI "
    packets = data[: 2 * _PACKET_BYTES + 1 : _PACKET_BYTES]
    return data.startswith(_EBML) or is_avi or packets == bytes([_SYNC_BYTE] * 3)
