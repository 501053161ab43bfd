"""The routes of ``/api/v1`` about the server: this document, webhooks, the scorer's token."""

from __future__ import annotations

from flask import abort, current_app, jsonify, render_template

from webapp.api import answers, requests
from webapp.api.blueprint import ADMIN, BLUEPRINT
from webapp.api.document import API, TOKEN, Reply, build_document, describe_answers
from webapp.api.documentation import group_operations
from webapp.auth import scorer_only
from webapp.http.lanes import LaneName, answer_in
from webapp.services import services


@BLUEPRINT.get("/openapi.json")
@answer_in(LaneName.LONG)
def openapi() -> Reply:
    """This document."""
    return jsonify(build_document(current_app._get_current_object()))  # type: ignore[attr-defined]


@BLUEPRINT.get("/docs")
@answer_in(LaneName.LONG)
def docs() -> str:
    """This document as a page."""
    document = build_document(current_app._get_current_object())  # type: ignore[attr-defined]
    return render_template("api.html", document=document, groups=group_operations(document))


@BLUEPRINT.get("/hooks")
@API.validate(resp=describe_answers(answers.Hooks, is_writing=True), tags=ADMIN, security=TOKEN)
@scorer_only
def hooks() -> Reply:
    """The addresses to which events are sent; only for the scorer."""
    return jsonify({"hooks": [webhook.to_json() for webhook in services().hooks.all()]})


@BLUEPRINT.post("/hooks")
@API.validate(
    resp=describe_answers(answers.KeptHook, code=201, is_writing=True), tags=ADMIN, security=TOKEN
)
def add_hook(json: requests.Hook) -> Reply:
    """Send events to an address from now on. The key that signs them is shown only once."""
    kept = services().hooks.add(json.url, json.types)
    return jsonify(kept.to_json(with_key=True)), 201


@BLUEPRINT.delete("/hooks/<name>")
@API.validate(
    resp=describe_answers(answers.Hooks, is_writing=True, may_lack=True),
    tags=ADMIN,
    security=TOKEN,
)
def remove_hook(name: str) -> Reply:
    """Stop sending events to an address."""
    if not services().hooks.remove(name):
        abort(404)
    return jsonify({"hooks": [webhook.to_json() for webhook in services().hooks.all()]})


@BLUEPRINT.post("/token")
@API.validate(resp=describe_answers(answers.NewToken, is_writing=True), tags=ADMIN, security=TOKEN)
def new_token() -> Reply:
    """Make a new token; the old one no longer works."""
    services().secret.replace_token()
    return jsonify({"token": services().secret.token})
