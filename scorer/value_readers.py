"""Values as JSON holds them, each read as the type that it must have. All raise ``ValueError``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from scorer.texts import is_encodable, quote


def read_amounts(value: Any) -> tuple[int, ...]:
    """Whole numbers, one for each side."""
    return tuple(read_int(each) for each in read_list(value))


def read_list(value: Any) -> Sequence[Any]:
    """A list of anything."""
    if isinstance(value, list | tuple):
        return value
    raise ValueError(f"{quote(value)} is no list")


def read_int(value: Any) -> int:
    """A whole number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError(f"{quote(value)} is no whole number")


def read_bool(value: Any) -> bool:
    """True or false."""
    if isinstance(value, bool):
        return value
    raise ValueError(f"{quote(value)} is neither true nor false")


def read_text(value: Any) -> str:
    """A text that UTF-8 has bytes for."""
    if isinstance(value, str) and is_encodable(value):
        return value
    raise ValueError(f"{quote(value)} is no text")


def read_choice(choices: type[StrEnum]) -> Callable[[Any], StrEnum]:
    """A reader of one of these names."""

    def read(value: Any) -> StrEnum:
        if isinstance(value, str) and value in {str(each) for each in choices}:
            return choices(value)
        raise ValueError(f"{quote(value)} is none of {', '.join(choices)}")

    return read


def read_texts(value: Any) -> tuple[str, ...]:
    """Texts in order."""
    return tuple(read_text(each) for each in read_list(value))


def read_options(value: Any) -> tuple[tuple[str, Any], ...]:
    """Options by name, as JSON holds them. Raises ``ValueError``."""
    pairs = value.items() if isinstance(value, Mapping) else read_list(value)
    return tuple((read_text(name), _read_option(each)) for name, each in pairs)


def _read_option(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return read_texts(value)
    return value if isinstance(value, int) else read_text(value)
