"""The published JSON schemas, made from the forms' models.

``make schemas`` writes them. A test checks that the files in ``schemas/`` agree with the models.
"""

from __future__ import annotations

import json
from typing import Any

from paths import SCHEMAS
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema

from webapp.formats.advice import Advice, PositionForm
from webapp.formats.event import AnyEvent
from webapp.formats.outcome import OutcomeForm
from webapp.formats.review import ReviewForm
from webapp.formats.scenario import ScenarioForm
from webapp.formats.scene import SceneForm
from webapp.formats.score import FusedScoreForm, Scores
from webapp.formats.shot_boards import ExplainForm, PairForm
from webapp.formats.speed import ShotsForm, SpeedForm
from webapp.formats.verdict import VerdictForm

#: For each file: a description of the form, and its model.
FORMS: dict[str, tuple[str, TypeAdapter[Any]]] = {
    "advise": ("What `crokinole advise --json` prints", Advice),
    "event": ("One line of what `crokinole watch` tells", AnyEvent),
    "explain": ("What `crokinole explain --json` prints", TypeAdapter(ExplainForm)),
    "fused_score": (
        "What `crokinole score ABOVE --beside BESIDE --json` prints",
        TypeAdapter(FusedScoreForm),
    ),
    "pair": ("What `crokinole explain` reads", TypeAdapter(PairForm)),
    "position": ("What `crokinole advise` reads", TypeAdapter(PositionForm)),
    "review": ("What `crokinole review --json` prints", TypeAdapter(ReviewForm)),
    "scenario": ("What `crokinole judge` reads", TypeAdapter(ScenarioForm)),
    "scene": ("What `crokinole simulate` reads", TypeAdapter(SceneForm)),
    "score": ("What `crokinole score --json` prints", Scores),
    "shots": ("What `crokinole speed` reads", TypeAdapter(ShotsForm)),
    "simulate": ("What `crokinole simulate --json` prints", TypeAdapter(OutcomeForm)),
    "speed": ("What `crokinole speed --json` prints", TypeAdapter(SpeedForm)),
    "verdict": ("What `crokinole judge --json` prints", TypeAdapter(VerdictForm)),
}


class _PlainSchema(GenerateJsonSchema):
    """JSON schema without pydantic's additions for programs that draw input forms."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def default_schema(self, schema: Any) -> JsonSchemaValue:
        made = super().default_schema(schema)
        if made.get("default", ...) is None:
            made = {key: value for key, value in made.items() if key != "default"}
        return made

    def generate(self, schema: CoreSchema, mode: Any = "validation") -> JsonSchemaValue:
        made = super().generate(schema, mode)
        for part in (made, *made.get("$defs", {}).values()):
            part.pop("title", None)
        return made


def make_schema(name: str) -> dict[str, Any]:
    """The JSON schema of a form, by its file's name."""
    title, form = FORMS[name]
    made = form.json_schema(schema_generator=_PlainSchema)
    return {"$schema": GenerateJsonSchema.schema_dialect, "title": title, **made}


def format_schema(name: str) -> str:
    """The text of a form's file."""
    return json.dumps(make_schema(name), indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write every schema."""
    for name in FORMS:
        (SCHEMAS / f"{name}.schema.json").write_text(format_schema(name), encoding="utf-8")


if __name__ == "__main__":
    main()
