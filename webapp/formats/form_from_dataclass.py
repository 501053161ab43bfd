"""Forms made from dataclasses, so fields are defined in one place."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import pydantic
from pydantic import BaseModel, create_model

FormType = TypeVar("FormType", bound=BaseModel)


class FormMaker:
    """Makes the forms of dataclasses and of the types of their fields, once per type."""

    def __init__(
        self,
        base: type[BaseModel],
        forms: Mapping[object, object],
        *,
        fields: Mapping[str, object] | None = None,
        names: Mapping[type, str] | None = None,
        are_all_required: bool = False,
    ) -> None:
        """``forms`` has the forms of types that are not made field by field.

        fields  the forms, by name, of fields that allow fewer values than their type
        names   names of types in schemas
        """
        self._base, self._forms, self._fields = base, dict(forms), fields or {}
        self._names, self._are_all_required = names or {}, are_all_required

    def make(self, kind: type, *, doc: str | None = None) -> type[BaseModel]:
        """The form of a dataclass."""
        hints, made = get_type_hints(kind), dict[str, object]()
        for field in fields(kind):
            form = self._fields.get(field.name, self.find(hints[field.name]))
            made[field.name] = (form, self._make_field(field))
            if field.name == "t_s" and hasattr(kind, "type"):
                made["type"] = (Literal[kind.type], ...)
        name = self._names.get(kind, kind.__name__)
        form = create_form(name, self._base, doc or kind.__doc__ or "", made)
        self._forms[kind] = form
        return form

    def select(
        self, name: str, kind: type, fields: str, doc: str, /, **more: object
    ) -> type[BaseModel]:
        """The form of these fields: a dataclass's, or with the types in ``more``."""
        types = get_type_hints(kind) | more
        form = self._forms[kind] = self.declare(name, doc, **{k: types[k] for k in fields.split()})
        return form

    def declare(self, name: str, doc: str, /, **types: object) -> type[BaseModel]:
        """The form of fields with these types."""
        made = {field: (self.find(kind), ...) for field, kind in types.items()}
        return create_form(name, self._base, doc, made)

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

    def _make_field(self, field: Field[object]) -> object:
        """A field with its default and limits in pydantic's form."""
        limits = dict(field.metadata)
        if self._are_all_required:
            return pydantic.Field(**limits)
        if isinstance(field.default, tuple):
            return pydantic.Field(default_factory=list, **limits)
        if field.default_factory is not MISSING:
            make: Any = self._forms[field.default_factory]
            return pydantic.Field(default_factory=make, **limits)
        if field.default is not MISSING:
            limits["default"] = field.default
        return pydantic.Field(**limits)


def create_form(
    name: str, base: type[FormType], doc: str, fields: Mapping[str, object]
) -> type[FormType]:
    """A model with fields, given as types with a default or with pydantic's field."""
    made: Any = fields
    return create_model(name, __base__=base, __doc__=inspect.cleandoc(doc), **made)
