"""Readers of JSON values that must have a given type. All raise ``ValueError``.

A dataclass's annotations define how its JSON is read. A field that needs more than its type names
its reader: ``Annotated[str, read_name]``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from calibration.phrase import Phrase
from scorer.texts import is_encodable, quote

Reader = Callable[[Any], Any]


def read_fields(kind: Any, value: Any) -> Any:
    """The dataclass, from a JSON object with its fields by name; missing ones get their
    defaults.
    """
    if not isinstance(value, Mapping):
        raise ValueError(Phrase("%(value)s is not an object", value=quote(value)))
    readers = _make_field_readers(kind)
    unknown = [name for name in value if name not in readers]
    if unknown:
        raise ValueError(Phrase("%(unknown)s is unknown", unknown=quote(unknown[0])))
    needed = (field.name for field in fields(kind) if field.default is MISSING)
    lacking = [name for name in needed if name not in value]
    if lacking:
        raise ValueError(Phrase("it has no %(field)s", field=lacking[0]))
    return kind(**{name: readers[name](content) for name, content in value.items()})


@cache
def _make_field_readers(kind: Any) -> Mapping[str, Reader]:
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: _make_reader(hints[field.name]) for field in fields(kind)}


def _make_reader(annotation: Any) -> Reader:
    """The reader for a value of that annotation."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        reader: Reader = arguments[1]
        return reader
    if origin in (Union, UnionType):  # with None
        inner = _make_reader(arguments[0])
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        inner = _make_reader(arguments[0])
        return lambda value: tuple(inner(item) for item in read_list(value))
    if is_dataclass(annotation):
        return partial(read_fields, annotation)
    if issubclass(annotation, StrEnum):
        return partial(read_choice, annotation)
    return _PLAIN_READERS[annotation]


def read_list(value: Any) -> Sequence[Any]:
    """A list of anything."""
    if isinstance(value, list | tuple):
        return value
    raise ValueError(Phrase("%(value)s is not a list", value=quote(value)))


def read_int(value: Any) -> int:
    """A whole number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError(Phrase("%(value)s is not a whole number", value=quote(value)))


def read_bool(value: Any) -> bool:
    """True or false."""
    if isinstance(value, bool):
        return value
    raise ValueError(Phrase("%(value)s is neither true nor false", value=quote(value)))


def read_text(value: Any) -> str:
    """A text that can be encoded in UTF-8."""
    if isinstance(value, str) and is_encodable(value):
        return value
    raise ValueError(Phrase("%(value)s is not text", value=quote(value)))


_PLAIN_READERS: Mapping[Any, Reader] = {str: read_text, int: read_int, bool: read_bool}


def read_choice(choices: type[StrEnum], value: Any) -> StrEnum:
    """One of these names."""
    if isinstance(value, str) and value in {str(choice) for choice in choices}:
        return choices(value)
    raise ValueError(
        Phrase(
            "%(value)s is not one of %(choices)s", value=quote(value), choices=", ".join(choices)
        )
    )


def read_options(value: Any) -> tuple[tuple[str, Any], ...]:
    """Options by name, from JSON. Raises ``ValueError``."""
    pairs = value.items() if isinstance(value, Mapping) else read_list(value)
    return tuple((read_text(name), _read_option(content)) for name, content in pairs)


def _read_option(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(read_text(text) for text in value)
    return value if isinstance(value, int) else read_text(value)
