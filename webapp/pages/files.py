"""Files that pages offer: downloads, tables, and pictures of uploads in use."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import IO

from flask import Response, abort, request, send_from_directory
from werkzeug.exceptions import RequestedRangeNotSatisfiable
from werkzeug.wsgi import wrap_file

from webapp.jobs.held_uploads import HeldUpload


def attach(body: str | bytes | Iterator[str], media: str, name: str) -> Response:
    """A file that the browser saves under that name; it may be sent in parts."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(body, content_type=media, headers=headers)


def format_csv(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Rows as CSV, line by line, so that a long table is never in memory as a whole."""
    writer = csv.writer(SimpleNamespace(write=str))
    return map(writer.writerow, rows)


def clean_file_name(name: str | None) -> str:
    """An uploaded file's own name, short and printable; safe as a name in a folder."""
    last = (name or "").replace("\\", "/").split("/")[-1]
    return "".join(filter(str.isprintable, last))[-60:].lstrip(".") or "file"


def send_open_file(file: IO[bytes], media: str, headers: Mapping[str, str]) -> Response:
    """An open file, whole or the requested range; it is closed once it has been sent."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    content = wrap_file(request.environ, file)
    answer = Response(content, mimetype=media, headers=headers, direct_passthrough=True)
    answer.content_length = size
    try:
        answer.make_conditional(request, accept_ranges=True, complete_length=size)
    except RequestedRangeNotSatisfiable:
        file.close()
        raise
    return answer


def send_upload_file(held: HeldUpload | None, name: str, media: str) -> Response:
    """A file in an upload's folder; 404 if there is none (yet)."""
    if held is None or not (held.folder / name).is_file():
        abort(404)
    answer = send_from_directory(held.folder, name, mimetype=media)
    answer.headers["Cache-Control"] = "private, max-age=3600, immutable"
    return answer
