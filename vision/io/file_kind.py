"""The type of a file, from its first bytes: a photo (with its decoder), a film, or neither.

ISO base media files are recognised by their brands (ISO/IEC 14496-12, 4.3), AVI by its RIFF form,
Matroska and WebM by the EBML identifier (RFC 8794, 11.2.1).
"""

from __future__ import annotations

#: Photo formats by their first bytes, with the name of Pillow's decoder and its module. No other
#: format is decoded, in particular none for which Pillow would start another program (EPS).
_FORMATS = (
    (b"\xff\xd8\xff", "JPEG", "PIL.JpegImagePlugin"),
    (b"\x89PNG\r\n\x1a\n", "PNG", "PIL.PngImagePlugin"),
    (b"II*\0", "TIFF", "PIL.TiffImagePlugin"),
    (b"MM\0*", "TIFF", "PIL.TiffImagePlugin"),
    (b"BM", "BMP", "PIL.BmpImagePlugin"),
    (b"GIF8", "GIF", "PIL.GifImagePlugin"),
)
#: Brands of ISO base media files that hold AV1 stills; any other still is HEIC.
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
#: In MP4 and MOV files the first box's name follows its length; photos in such boxes name their
#: brand.
_BOXES = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip")
_PICTURE_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"avif", b"avis")
_EBML = b"\x1a\x45\xdf\xa3"
#: MPEG transport streams consist of packets of this length, which all begin with this byte.
_PACKET_BYTES, _SYNC_BYTE = 188, 0x47


def choose_decoder(data: bytes) -> tuple[str, str]:
    """The decoder of a file and its module. Raises ``ValueError`` if the file is not a photo."""
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
    """Whether a file begins like a film. A phone's photo may also be stored in boxes like those of
    MP4.
    """
    if data[4:8] in _BOXES:
        return not (data[4:8] == b"ftyp" and data[8:12] in _PICTURE_BRANDS)
    is_avi = data[:4] == b"RIFF" and data[8:12] == b"AVI "
    packets = data[: 2 * _PACKET_BYTES + 1 : _PACKET_BYTES]
    return data.startswith(_EBML) or is_avi or packets == bytes([_SYNC_BYTE] * 3)
