"""Answers of the API that have every field of a dataclass, as pydantic models made from it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_type_hints

from pydantic import create_model


def make_answer(
    name: str, kind: type[Any], doc: str, models: Mapping[Any, Any] | None = None
) -> Any:
    """The model of that name; in ``models`` a type of fields may have a model of its own."""
    hints = get_type_hints(kind)
    made: dict[str, Any] = {
        field.name: ((models or {}).get(hints[field.name], hints[field.name]), ...)
        for field in fields(kind)
    }
    return create_model(name, __doc__=inspect.cleandoc(doc), **made)
