"""JSON output of the program; zeros have no sign, because a sign would mean nothing."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from calibration.phrase import list_phrases, put_phrases


def format_json(content: Any, **layout: Any) -> str:
    """The JSON text of values that ``to_plain`` accepts; ``layout`` is passed to ``json.dumps``."""
    return json.dumps(to_plain(content), **layout)


def to_plain(content: Any) -> Any:
    """Dataclasses, tuples and enums, nested or not, as JSON values; -0.0 becomes 0.0."""
    if isinstance(content, float):
        return content + 0.0
    if isinstance(content, dict):
        return {key: to_plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [to_plain(value) for value in content]
    if isinstance(content, Enum):
        return content.value
    if is_dataclass(content):
        return {field.name: to_plain(getattr(content, field.name)) for field in fields(content)}
    return content


def from_plain(kind: Any, value: Any) -> Any:
    """The value of that type from its ``to_plain`` form; unknown keys are ignored."""
    args = get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        known = [field.name for field in fields(kind) if field.name in value]
        return kind(**{name: from_plain(hints[name], value[name]) for name in known})
    if get_origin(kind) is tuple:
        if args[-1] is not ...:
            return tuple(value)
        return tuple(from_plain(args[0], item) for item in value)
    if isinstance(kind, UnionType):
        return None if value is None else from_plain(args[0], value)
    return kind(value) if isinstance(kind, type) and issubclass(kind, Enum) else value


def store_json(content: Any) -> str:
    """The JSON text of an object, with the templates and arguments of its phrases beside it."""
    plain = to_plain(content)
    phrases = list(list_phrases(plain))
    return json.dumps(plain | {"phrases": phrases} if phrases else plain)


def load_json(text: str | bytes) -> Any:
    """The plain object of a text that ``store_json`` made, or an earlier version without phrases.

    Raises ``ValueError``, and ``TypeError`` for damaged phrases.
    """
    content = json.loads(text)
    if not isinstance(content, dict):
        return content
    try:
        return put_phrases(content, content.pop("phrases", ()))
    except (LookupError, AttributeError) as error:
        raise ValueError(f"its phrases are damaged ({error})") from error
