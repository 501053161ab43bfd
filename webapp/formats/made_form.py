"""Forms made from dataclasses, so that the fields of a thing stand in one place."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import pydantic
from pydantic import BaseModel, create_model


class FormMaker:
    """Makes the forms of dataclasses and of the types of their fields, each once."""

    def __init__(
        self,
        base: type[BaseModel],
        forms: Mapping[object, object],
        *,
        fields: Mapping[str, object] | None = None,
        names: Mapping[type, str] | None = None,
        are_all_required: bool = False,
    ) -> None:
        """``forms`` are those of types whose form is not theirs field by field.

        fields  the forms of fields, by their names, that allow less than their type
        names   names under which schemas know types
        """
        self._base, self._forms, self._fields = base, dict(forms), fields or {}
        self._names, self._are_all_required = names or {}, are_all_required

    def make(self, kind: type, *, doc: str | None = None) -> type[BaseModel]:
        """The form of a dataclass."""
        hints, made = get_type_hints(kind), dict[str, Any]()
        for field in fields(kind):
            default = {} if self._are_all_required else self._find_default(field)
            made[field.name] = (
                self._fields.get(field.name, self.find(hints[field.name])),
                pydantic.Field(**default, **dict(field.metadata)),
            )
            if field.name == "t_s" and hasattr(kind, "type"):
                made["type"] = (Literal[kind.type], ...)
        name, doc = (
            self._names.get(kind, kind.__name__),
            inspect.cleandoc(doc or kind.__doc__ or ""),
        )
        form: type[BaseModel] = create_model(name, __base__=self._base, __doc__=doc, **made)
        self._forms[kind] = form
        return form

    def find(self, kind: object) -> object:
        """The form of a field's type."""
        args = get_args(kind)
        if get_origin(kind) is tuple:
            if args[-1] is ...:
                return list[self.find(args[0])]  # type: ignore[misc]
            return Annotated[
                list[args[0]],  # type: ignore[valid-type]
                pydantic.Field(min_length=len(args), max_length=len(args)),
            ]
        if isinstance(kind, UnionType):
            return Union[tuple(self.find(arg) for arg in args)]  # noqa: UP007
        if kind not in self._forms and isinstance(kind, type) and is_dataclass(kind):
            return self.make(kind)
        return self._forms.get(kind, kind)

    def _find_default(self, field: Field[object]) -> dict[str, Any]:
        """The default of a field, as pydantic takes it."""
        if isinstance(field.default, tuple):
            return {"default_factory": list}
        if field.default is not MISSING:
            return {"default": field.default}
        if field.default_factory is not MISSING:
            return {"default_factory": self._forms[field.default_factory]}
        return {}
