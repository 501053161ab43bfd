"""Collects the texts to translate into the catalogues: ``make messages``.

From templates and scripts it takes the texts in ``_("…")``; from the Python files of ``_SPEAKING``
every text that looks like a sentence, as a pattern: ``f"{name} starts"`` becomes ``%(name)s
starts``. Texts for programs and programmers are left out: docstrings, logs, sources of thresholds,
schemas.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import write_po
from paths import ROOT
from plain_words import PLAIN_WORDS

from webapp.language.catalogue import catalogue_path, read_catalogue
from webapp.language.choice import DEFAULT_LANGUAGE, LANGUAGES

_TEMPLATE_OPTIONS = {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}
#: Texts may be inside template strings, too: `${_("open")}`. A text with placeholders must not,
#: because Babel takes its first brace for the end of the expression.
_SCRIPT_OPTIONS = {"parse_template_string": "true"}
_TEMPLATES = (".html", ".svg")
_KEYWORDS: dict[str, tuple[int, ...] | None] = {"_": None, "ngettext": (1, 2)}
#: Files and folders whose sentences appear on pages.
_SPEAKING = (
    "calibration/profile.py",
    "calibration/wizard/control_points.py",
    "calibration/wizard/picture_quality.py",
    "calibration/wizard/sentences.py",
    "calibration/wizard/state_machine.py",
    "scorer/match",
    "scorer/practice",
    "scorer/rules/checks.py",
    "scorer/rules/choices.py",
    "scorer/rules/judge_shot.py",
    "scorer/rules/option_labels.py",
    "scorer/rules/sources.py",
    "scorer/texts.py",
    "scorer/tournament",
    "scorer/value_readers.py",
    "vision/board/find_board.py",
    "vision/board/quality.py",
    "vision/io/frame.py",
    "vision/io/jpeg_work.py",
    "vision/io/live_capture.py",
    "vision/io/sources.py",
    "vision/io/video_file.py",
    "vision/read_photo.py",
    "vision/reading.py",
    "vision/track/states.py",
    "vision/track/status_reports.py",
    "vision/wizard_detector.py",
    "webapp/factory.py",
    "webapp/http/token.py",
    "webapp/jobs",
    "scorer/photo/aim_help.py",
    "scorer/photo/corrections.py",
    "scorer/photo/kept_round.py",
    "scorer/photo/place_labels.py",
    "scorer/photo/questions.py",
    "scorer/photo/score.py",
    "webapp/profile_store.py",
    "scorer/referee/live_referee.py",
    "scorer/referee/manual_moves.py",
    "scorer/referee/round_score.py",
    "scorer/referee/shot",
    "scorer/referee/speed_from_clip.py",
    "scorer/referee/cameras/two_trackers.py",
    "scorer/referee/cameras/watch_two_live.py",
    "scorer/referee/capture.py",
    "scorer/referee/watch.py",
    "scorer/referee/review/review_film.py",
    "scorer/referee/review/review_stage.py",
    "webapp/live/board_row.py",
    "webapp/live/spoken_calls.py",
    "webapp/live/live_board.py",
    "webapp/live/live_state.py",
    "webapp/live/match_recorder.py",
    "webapp/live/match_summary.py",
    "webapp/live/questions.py",
    "webapp/live/match_shot.py",
    "webapp/live/practice_recorder.py",
    "webapp/live/practice_shot.py",
    "webapp/live/recorded_referee.py",
    "webapp/live/ruling_messages.py",
    "webapp/live/end_reason.py",
    "webapp/live/workers/camera_worker.py",
    "webapp/live/workers/message_feed.py",
    "webapp/pages",
)
#: Functions whose texts no player reads.
_SILENT_CALLS = frozenset(
    {"threshold", "parameter", "Field", "getLogger", "debug", "info", "warning", "error"}
)
_WORDS = re.compile(r"[^\W\d_]{2,}.* |[^\W\d_]{2,}[.!?]$| .*[^\W\d_]{2,}", re.DOTALL)
#: A placeholder of ``str.format``.
_FIELD = re.compile(r"\{(\w*)[^}]*\}")
#: Patterns of headers, addresses, markup and queries.
_CODE = re.compile(
    r"max-age=|charset=|filename=|'self'|'none'|\(self\)|maskable|SELECT|PRAGMA"
    r"| \| None|tuple\[|^Value error|^/|[<>]|^[a-z]+( [a-z]+)?/"
)


def extract_messages() -> Catalog:
    """All texts to translate, with the files that contain them."""
    catalogue = Catalog(project="Crokinole Referee", charset="utf-8")
    webapp = ROOT / "webapp"
    for path in sorted(p for p in webapp.glob("pages/**/*") if p.suffix in _TEMPLATES):
        _add_marked(catalogue, "jinja2.ext:babel_extract", path, _TEMPLATE_OPTIONS)
    for path in sorted(webapp.glob("static/js/**/*.js")):
        _add_marked(catalogue, "javascript", path, _SCRIPT_OPTIONS)
    for text in PLAIN_WORDS:
        catalogue.add(text, locations=[("tests/support/plain_words.py", 0)])
    for path in _list_speaking_files():
        for text in dict.fromkeys(list_sentences(path.read_text(encoding="utf-8"))):
            catalogue.add(text, locations=[(_name_file(path), 0)])
    return catalogue


def _add_marked(catalogue: Catalog, method: str, path: Path, options: dict[str, str]) -> None:
    found = extract_from_file(
        method, path, keywords=_KEYWORDS, options=dict(options), strip_comment_tags=True
    )
    for _line, message, comments, _context in found:
        catalogue.add(message, locations=[(_name_file(path), 0)], auto_comments=comments)


def _name_file(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _list_speaking_files() -> list[Path]:
    places = [ROOT / each for each in _SPEAKING]
    return [
        file
        for place in places
        for file in (sorted(place.rglob("*.py")) if place.is_dir() else [place])
    ]


def list_sentences(source: str) -> Iterator[str]:
    """The patterns of the sentences in a Python file, in order."""
    yield from _walk(ast.parse(source))


def _walk(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.JoinedStr | ast.Constant):
        shape = _make_shape(node)
        if shape is not None and _reads_as_words(shape):
            yield shape
    if isinstance(node, ast.Call) and _name_call(node) in _SILENT_CALLS:
        return
    if isinstance(node, ast.Call) and _name_call(node) == "Page":
        yield from (str(ast.literal_eval(k.value)) for k in node.keywords if k.arg == "name")
    for child in ast.iter_child_nodes(node):
        is_part = isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)
        if not is_part and not _is_docstring(node, child):
            yield from _walk(child)


def _reads_as_words(shape: str) -> bool:
    return bool(_WORDS.search(re.sub(r"%\(\w+\)s", "%", shape))) and not _CODE.search(shape)


def _is_docstring(node: ast.AST, child: ast.AST) -> bool:
    places = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    is_first = isinstance(node, places) and child is node.body[0]
    return is_first and isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)


def _name_call(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _make_shape(node: ast.JoinedStr | ast.Constant) -> str | None:
    """The text with its placeholders named after their values; None if it is not a text."""
    if isinstance(node, ast.Constant):
        text = (
            node.value.replace("%", "%%").strip().lstrip(",; ")
            if isinstance(node.value, str)
            else None
        )
        return (
            None if text is None else _FIELD.sub(lambda gap: f"%({gap[1] or 'it'})s", text)
        )  # str.format
    names: list[str] = []
    shape = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            shape += str(part.value).replace("%", "%%")
            continue
        name = _name_gap(part.value) if isinstance(part, ast.FormattedValue) else "it"
        number = sum(each.rstrip("0123456789") == name for each in names)
        names.append(f"{name}{number + 1}" if number else name)
        shape += f"%({names[-1]})s"
    return shape.strip().lstrip(",; ")


def _name_gap(value: ast.expr) -> str:
    """A short name for the value of a placeholder."""
    match value:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").rstrip("0123456789") or "it"
        case ast.Subscript(value=inner, slice=ast.Constant(value=str(name))):
            return re.sub(r"\W", "", name) or _name_gap(inner)
        case ast.Subscript(value=inner) | ast.Await(value=inner) | ast.BinOp(left=inner):
            return _name_gap(inner)
        case ast.Call(func=ast.Attribute(value=ast.Constant()), args=[inner, *_]):
            return _name_gap(inner)
        case ast.Call(args=[inner, *_]):
            return _name_gap(inner)
        case ast.Call(func=inner) | ast.IfExp(body=inner) | ast.Starred(value=inner):
            return _name_gap(inner)
        case ast.GeneratorExp(elt=inner) | ast.ListComp(elt=inner):
            return _name_gap(inner)
    return "it"


def update_catalogues() -> None:
    """Update every language's catalogue to the texts to translate; new ones have empty
    translations.
    """
    template = extract_messages()
    for language in LANGUAGES:
        if language == DEFAULT_LANGUAGE:
            continue
        path = catalogue_path(language)
        catalogue = read_catalogue(language) if path.exists() else Catalog(locale=language)
        catalogue.update(template, no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        catalogue.fuzzy = False
        catalogue.header_comment = f"# {LANGUAGES[language]}: the words of the pages."
        catalogue.revision_date = catalogue.creation_date = datetime(2026, 1, 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_po(file, catalogue, width=0, include_lineno=False, omit_header=False)
        missing = sum(not each.string or not any(each.string) for each in catalogue if each.id)
        print(f"{LANGUAGES[language]}: {len(catalogue)} texts, {missing} not translated.")


if __name__ == "__main__":
    update_catalogues()
