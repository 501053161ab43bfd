"""The OpenAPI document, made from the routes by SpecTree; and the answer to requests that do not
fit it: 422 with one sentence about the first error.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from flask import Flask, current_app, request
from spectree import Response, SecurityScheme, SpecTree
from spectree.models import SecureType, SecuritySchemeData
from werkzeug.exceptions import BadRequest, UnprocessableEntity, UnsupportedMediaType
from werkzeug.wrappers import Response as BaseResponse

from webapp.api.answers import ANSWERS, Problem
from webapp.api.published_events import describe_webhooks, list_published_schemas

TOKEN: dict[str, list[str]] = {"token": []}

#: A route's answer; spectree reads the annotation.
Reply = BaseResponse | tuple[BaseResponse, int]


def _refuse_invalid(_request: object, _response: object, error: Any, *_: object) -> None:
    """One sentence about the first error."""
    if error is not None:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the request"
        raise UnprocessableEntity(f"{place}: {first['msg']}.")


def check_body() -> None:
    """Refuse a request without JSON whose route takes JSON: 415 and 400, with a sentence."""
    view = current_app.view_functions.get(request.endpoint or "")
    if "json" not in getattr(view, "__annotations__", {}):
        return
    if not request.is_json:
        raise UnsupportedMediaType("Send JSON, with the content type application/json.")
    try:
        request.get_json()
    except RecursionError:
        raise BadRequest from None


_BEARER = SecuritySchemeData(type=SecureType.HTTP, scheme="bearer")

API = SpecTree(
    "flask",
    title="Crokinole Referee",
    version="v1",
    description="Everything that the pages do. Anyone can read; writing needs the scorer's token.",
    mode="strict",
    annotations=True,
    before=_refuse_invalid,
    validation_error_model=Problem,
    security_schemes=[SecurityScheme(name="token", data=_BEARER)],
    naming_strategy=lambda model: model.__name__,
    nested_naming_strategy=lambda _parent, child: child,
)


def describe_answers(
    ok: type | None,
    *,
    code: int = 200,
    is_writing: bool = False,
    may_lack: bool = False,
    may_refuse: bool = False,
) -> Response:
    """The answers of a route: the success, and the possible problems."""
    refusals = [400, 429, 503]
    if is_writing:
        refusals += [401, 403, 409, 413, 415]
    if may_refuse:
        refusals.append(409)
    if may_lack:
        refusals.append(404)
    problems = {f"HTTP_{refusal}": Problem for refusal in refusals}
    return Response(**{f"HTTP_{code}": ANSWERS.find(ok)}, **problems)


def build_document(app: Flask) -> dict[str, object]:
    """The OpenAPI document of an application, including the stream, which is not a Flask route."""
    API.app = app
    content = dict(API.spec)
    content["info"] = {**content["info"], "x-program-version": version("crokinole-referee")}
    content["servers"] = [{"url": request.url_root.rstrip("/")}]
    content["paths"] = {**content["paths"], "/api/v1/events": {"get": _STREAM}}
    paths = content["paths"]
    for path in ("/api/v1/photos", "/api/v1/calibrations"):
        paths[path]["post"]["requestBody"] = _PICTURE
    paths["/api/v1/matches/import"]["post"]["requestBody"] = {"required": True, "content": _MATCH}
    paths["/api/v1/tournaments/import"]["post"]["requestBody"] = _TOURNAMENT
    paths["/api/v1/matches/{number}/export"]["get"]["responses"]["200"]["content"] = _MATCH
    schemas = list_published_schemas() | content["components"]["schemas"]
    content["components"] = {**content["components"], "schemas": schemas}
    content["webhooks"] = describe_webhooks()
    return content


_PICTURE = {
    "required": True,
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}
#: A tournament as ``/tournaments/{number}/export`` writes it.
_TOURNAMENT = {
    "required": True,
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TournamentFile"}}},
}
#: A match as a file: this program's JSON or Crokinole Match Notation, or its rounds as CSV.
_MATCH = {
    "application/json": {"schema": {"type": "object"}},
    "text/csv": {"schema": {"type": "string"}},
}
_STREAM = {
    "summary": "All events, as server-sent events.",
    ("description"): (
        "Starts with an event `state`. Every event (`PublishedEvent`) then follows with the whole "
        "state after it. A client that reconnects with `Last-Event-ID` gets the missed events, or "
        "the state."
    ),
    "operationId": "events",
    "tags": ["watch"],
    "parameters": [
        {"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"}},
        {"name": "after", "in": "query", "schema": {"type": "string"}},
        {
            "name": "board",
            "in": "query",
            "description": "The number of the board; `all` for the rows of all boards.",
            "schema": {"type": "string"},
        },
    ],
    "responses": {
        "200": {
            "description": "OK",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    },
}
