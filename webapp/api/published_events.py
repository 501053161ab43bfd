"""A server's published events as one union by ``type``: on the stream, and to webhooks.

They are the referee's events as printed by ``crokinole watch``, and the changes of matches,
tournaments, practices and the referee itself. For a webhook, they include the board's number.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, Field, TypeAdapter, create_model
from pydantic.json_schema import models_json_schema

from webapp.api.answers import ANSWERS
from webapp.api.match_events import LoggedEvent
from webapp.formats.event import EVENT_FORMS
from webapp.live.live_state import Status
from webapp.live.pairings import BoardPairing

_BOARD = Annotated[int | None, Field(description="The board's number; only in webhooks.")]


class _Published(BaseModel):
    at_board: _BOARD = None


def _publish(kind: str, doc: str, **fields: Any) -> type[BaseModel]:
    """The model of a change; a field is its type, with its default or an ellipsis."""
    named: Any = {"type": (Literal[kind], ...)} | fields
    return create_model(f"{kind.title()}Published", __base__=_Published, __doc__=doc, **named)


class _Pairing(_Published):
    type: Literal["pairing"]


PairingPublished = create_model(
    "PairingPublished",
    __base__=(_Pairing, ANSWERS.make(BoardPairing)),
    __doc__="A tournament's match got a board, or its players changed; sent to hooks only.",
)


def _publish_model(model: type[BaseModel]) -> type[BaseModel]:
    """A model of the referee's event in its published form."""
    name = model.__name__.removesuffix("Event") + "Published"
    return create_model(name, __base__=model, __doc__=model.__doc__, at_board=(_BOARD, None))


_OWN = (
    _publish("match", "A match has a new event.", match=(LoggedEvent, ...)),
    _publish(
        "referee",
        "The referee starts, ends, or is restarted.",
        status=(Status | Literal["restarting"], ...),
        reason=(str | None, None),
    ),
    _publish("tournament", "A tournament has changed; only on the stream.", tournament=(int, ...)),
    PairingPublished,
    _publish(
        "practice", "A practice session has changed; only on the stream.", practice=(int, ...)
    ),
)
_MODELS = (*_OWN, *(_publish_model(form) for form in EVENT_FORMS))
_AnyPublished: Any = Annotated[Union[_MODELS], Field(discriminator="type")]  # noqa: UP007
PublishedEvent: TypeAdapter[object] = TypeAdapter(_AnyPublished)


class HookMessage(BaseModel):
    """The message to a webhook: the hook and the event."""

    hook: str
    event: _AnyPublished


_TEMPLATE = "#/components/schemas/{model}"
_SIGNATURE = {
    "name": "X-Crokinole-Signature",
    "in": "header",
    "required": True,
    "description": "`sha256=` and the HMAC-SHA256 of the body with the hook's key, in hex.",
    "schema": {"type": "string"},
}


def list_published_schemas() -> dict[str, object]:
    """The schemas of published events, by their names in the OpenAPI document."""
    _, whole = models_json_schema([(HookMessage, "serialization")], ref_template=_TEMPLATE)
    schemas = whole["$defs"]
    return schemas | {"PublishedEvent": schemas["HookMessage"]["properties"]["event"]}


def describe_webhooks() -> dict[str, object]:
    """The document's section on events sent to addresses registered with ``POST /api/v1/hooks``."""
    body = {"$ref": _TEMPLATE.format(model="HookMessage")}
    return {
        "event": {
            "post": {
                "summary": "An event.",
                ("description"): (
                    "Sent for every event of the hook's types, in order. Answer with a status "
                    "under 300 within 5 s; otherwise it is sent twice more, then dropped."
                ),
                "operationId": "hook",
                "tags": ["server"],
                "parameters": [_SIGNATURE],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": body}},
                },
                "responses": {"204": {"description": "It was accepted."}},
            }
        }
    }
