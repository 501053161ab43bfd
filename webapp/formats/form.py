"""The base of all JSON forms: strict models, types of fields, and one sentence per error.

A form is a pydantic model of decoded JSON; ``make schemas`` makes its published schema. Numbers are
finite, and no text or truth value is accepted as a number.
"""

from __future__ import annotations

import difflib
import json
import math
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import ErrorDetails, PydanticCustomError

from calibration.profile import describe_read_error
from calibration.user_error import Trouble

#: Longest text that is accepted as a name, and longest quotation in a message.
_MAX_TEXT = 60
#: Whole numbers up to here are the same in every program that reads JSON (IEEE 754 double).
_MAX_WHOLE = 2**53
#: More bytes than any of these files has: a pair of full boards takes some kilobytes.
_MAX_FILE_BYTES = 4_000_000
#: Boards and shots that come with the program, to be tried as they are.
_EXAMPLES = Path(__file__).parent / "examples"
#: Longest accepted list of discs: four sides of 12, and some more.
MAX_LISTED_DISCS = 60


class FormError(ValueError):
    """JSON that does not fit its form; the text names the place and the expected value."""


class InputFileError(Trouble):
    """A file that cannot be used; the text is one sentence that names it."""


class Form(BaseModel):
    """A JSON object in which every key is known."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class OpenForm(Form):
    """A JSON object that may have more keys, which are ignored, as in other commands' discs."""

    model_config = ConfigDict(extra="ignore")


def must_be(words: str) -> WrapValidator:
    """An annotation that gives the expected value in an error, such as "a text"."""

    def check(value: object, handler: ValidatorFunctionWrapHandler) -> object:
        try:
            return handler(value)
        except ValidationError:
            raise PydanticCustomError("must_be", "must be {words}", {"words": words}) from None

    return WrapValidator(check)


#: The name of a disc or a team, printed as it was written.
Name = Annotated[
    Annotated[str, Field(min_length=1, max_length=_MAX_TEXT)]
    | Annotated[int, Field(ge=-_MAX_WHOLE, le=_MAX_WHOLE)],
    must_be(f"a whole number or a text of 1 to {_MAX_TEXT} characters"),
]
#: A name as it is printed.
WrittenName = str | int
#: Added to a type: the key may be left out, and null means the same.
Omitted = SkipJsonSchema[None]
#: The state of a disc on the board (``DiscState`` without the ditch).
BoardState = Literal["flat", "in_hole", "leaning", "overhanging"]
#: (x, y).
Point = Annotated[list[float], Field(min_length=2, max_length=2)]

Checked = TypeVar("Checked")


def check_form(form: type[Checked] | TypeAdapter[Checked], content: object) -> Checked:
    """Decoded JSON as that form. Raises ``FormError`` for the first error."""
    adapter = form if isinstance(form, TypeAdapter) else TypeAdapter(form)
    try:
        return adapter.validate_python(content)
    except ValidationError as error:
        raise FormError(_describe_first(error, content)) from None


def read_object(path: Path) -> dict[str, object]:
    """The JSON object in a file. Raises ``InputFileError``."""
    content = read_json(path)
    if not isinstance(content, dict):
        raise InputFileError(f"{path}: it must contain one JSON object.")
    return content


def read_json(path: Path) -> object:
    """The content of a JSON file, or of standard input for ``-``; if there is no such file, of the
    program's example with that name. Raises ``InputFileError``.
    """
    example = _EXAMPLES / path.name
    is_example = path.parent == Path() and not path.exists() and example.is_file()
    try:
        is_input = str(path) == "-"
        named = example if is_example else path
        with nullcontext(sys.stdin.buffer) if is_input else named.open("rb") as file:
            text = file.read(_MAX_FILE_BYTES + 1)
        if len(text) > _MAX_FILE_BYTES:
            raise InputFileError(f"{path}: it is too large. Choose another file.")
        if not text.strip():
            raise InputFileError(f"{path}: it is empty. Choose a JSON file.")
        return json.loads(text.decode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputFileError(describe_read_error(path, error)) from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputFileError(
            f"{path}: it is not valid JSON from {place} on. Fix it there."
        ) from error
    except (ValueError, RecursionError) as error:  # numbers or nesting beyond all bounds
        raise InputFileError(f"{path}: it is not valid JSON. Fix it.") from error


@contextmanager
def name_file_in_errors(path: Path) -> Iterator[None]:
    """Turn a ``ValueError`` about a file's content into an ``InputFileError`` with the file's
    name.
    """
    try:
        yield
    except ValueError as error:
        sentence = " ".join(str(error).split())
        stop = "" if sentence.endswith((".", "?")) else "."
        raise InputFileError(f"{path}: {sentence}{stop}") from None


# Sentences

#: The expected value, by pydantic's name of the error.
_WORDS: Mapping[str, str] = {
    "missing": "is missing; add it",
    "extra_forbidden": "is unknown; remove it or correct its name",
    "bool_type": "must be true or false",
    "dict_type": "must be a JSON object",
    "enum": "must be {expected}",
    "finite_number": "must be a number",
    "float_type": "must be a number",
    "greater_than": "must be above {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "int_from_float": "must be a whole number",
    "int_type": "must be a whole number",
    "less_than_equal": "must be at most {le:g}",
    "list_type": "must be a list",
    "literal_error": "must be {expected}",
    "model_attributes_type": "must be a JSON object",
    "model_type": "must be a JSON object",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must not be empty",
    "string_type": "must be text",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must have at least {min_length} entries",
    "tuple_type": "must be a list",
    "union_tag_invalid": "must be {expected_tags}",
    "union_tag_not_found": "is missing; add it",
}
#: Errors whose message does not need the value.
_WITHOUT_VALUE = ("missing", "extra_forbidden", "union_tag_not_found", "fault")


def fault(words: str, key: str = "") -> PydanticCustomError:
    """An error of a model's own check: a text about the model, or about the value of one key."""
    return PydanticCustomError("fault", "{words}", {"words": words, "key": key})


def quote(value: object) -> str:
    """A JSON value for a sentence, shortened; for lists and objects only their kind."""
    match value:
        case dict() | list() | tuple():
            return "an object" if isinstance(value, dict) else "a list"
        case str():
            return f"'{_shorten(value)}'"
        case int() if abs(value) > _MAX_WHOLE:
            return "a very large number"
        case float() if math.isfinite(value):
            return f"{value:g}"
        case _:
            return _shorten(json.dumps(value))


def _describe_first(error: ValidationError, content: object) -> str:
    """One sentence, without its full stop. An unknown key comes first, because it explains a
    missing one.
    """
    errors = error.errors(include_url=False)
    first = min(errors, key=lambda fault: fault["type"] != "extra_forbidden")
    place, words = _describe_place(first, content), _describe_fault(first)
    return f"{place}: {words}" if place else f"it {words}"


def _describe_place(error: ErrorDetails, content: Any) -> str:
    """The place of an error, such as discs[2].x_mm: pydantic's place without the names of
    alternatives.
    """
    place = ""
    for part in error["loc"]:
        is_index = isinstance(part, int) and isinstance(content, list) and part < len(content)
        if is_index or (isinstance(content, dict) and part in content):
            place += f"[{part}]" if is_index else f".{_shorten(part)}"
            content = content[part]
    key = error["loc"][-1] if error["type"] == "missing" else _find_key(error)
    place += f"[{key}]" if isinstance(key, int) else f".{key}" if key else ""
    return place.removeprefix(".")


def _find_key(error: ErrorDetails) -> str:
    """The key of the object at the error's place that the error is about; empty for the object."""
    context = error.get("ctx", {})
    return str(context.get("key") or context.get("discriminator", "")).strip("'")


def _describe_fault(error: ErrorDetails) -> str:
    """The expected value and the actual one."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in ("too_long", "too_short"):
        return f"{_WORDS[kind].format(**context)}, not {len(error['input'])}"
    words = _WORDS[kind].format(**context) if kind in _WORDS else error["msg"]
    if kind in _WITHOUT_VALUE:
        return words
    value, key = error["input"], _find_key(error)
    value = value.get(key) if key and isinstance(value, dict) else value
    choices = re.findall(r"'([^']*)'", words)
    near = difflib.get_close_matches(value, choices, n=1) if isinstance(value, str) else []
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{words.replace(chr(39), '')}, not {quote(value)}{hint}"


def _shorten(text: object) -> str:
    """Printable text of at most ``_MAX_TEXT`` characters."""
    shown = str(text)[: _MAX_TEXT + 1]
    shown = shown if shown.isprintable() else json.dumps(shown)[1:-1]
    return shown if len(shown) <= _MAX_TEXT else f"{shown[: _MAX_TEXT - 1]}…"
