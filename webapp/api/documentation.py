"""The OpenAPI document for a page: operations by group, with their fields described."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: An object of the document: a schema, an operation or an answer.
_Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """A parameter or a field of a body: its name, its type in words, whether it is required."""

    name: str
    words: str
    is_required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of the API, with its fields and its answers by code."""

    method: str
    path: str
    summary: str
    description: str
    is_writing: bool
    fields: tuple[FieldRow, ...]
    answers: tuple[tuple[str, str], ...]

    @property
    def anchor(self) -> str:
        """The operation's anchor on the page."""
        return f"{self.method}{self.path}".replace("/", "-").replace("{", "").replace("}", "")


def group_operations(document: _Schema) -> dict[str, list[Operation]]:
    """The document's operations by group (OpenAPI's first tag)."""
    groups: dict[str, list[Operation]] = {}
    schemas = document["components"]["schemas"]
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            group = (described.get("tags") or ["other"])[0]
            groups.setdefault(group, []).append(_read_operation(method, path, described, schemas))
    return groups


def _read_operation(method: str, path: str, described: _Schema, schemas: _Schema) -> Operation:
    parameters = [
        FieldRow(
            name=parameter["name"],
            words=f"{_describe_type(parameter.get('schema', {}))}, in the {parameter['in']}",
            is_required=bool(parameter.get("required")),
        )
        for parameter in described.get("parameters", ())
    ]
    content = described.get("requestBody", {}).get("content", {})
    body = content.get("application/json", {}).get("schema", {})
    return Operation(
        method=method.upper(),
        path=path,
        summary=described.get("summary", "").replace("``", ""),
        description=described.get("description", "").replace("``", ""),
        is_writing=bool(described.get("security")),
        fields=(*parameters, *_list_fields(_resolve(body, schemas))),
        answers=tuple(
            (code, _name_schema(answer)) for code, answer in sorted(described["responses"].items())
        ),
    )


def _resolve(schema: _Schema, schemas: _Schema) -> _Schema:
    """A schema, looked up by name if it is a reference."""
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    found: _Schema = schemas.get(name, schema)
    return found


def _list_fields(schema: _Schema) -> list[FieldRow]:
    required = schema.get("required", ())
    return [
        FieldRow(name=name, words=_describe_type(field), is_required=name in required)
        for name, field in schema.get("properties", {}).items()
    ]


def _describe_type(schema: _Schema) -> str:
    """A schema's type in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " or ".join(str(value) for value in schema["enum"])
    choices = [choice for choice in schema.get("anyOf", ()) if choice.get("type") != "null"]
    if choices:
        return " or ".join(_describe_type(choice) for choice in choices)
    kind = str(schema.get("type", "any"))
    if kind == "array":
        return f"list of {_describe_type(schema.get('items', {}))}"
    if "minimum" in schema and "maximum" in schema:
        return f"{kind} from {schema['minimum']} to {schema['maximum']}"
    return kind


def _name_schema(answer: _Schema) -> str:
    """The content of an answer: its schema's name, or its description."""
    for content in answer.get("content", {}).values():
        name = str(content.get("schema", {}).get("$ref", "")).rpartition("/")[2]
        if name:
            return name
    return str(answer.get("description", ""))
