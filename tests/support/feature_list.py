"""The feature list: every command, option, page, route, event and JSON field, in ``features.txt``.

``make features`` adds new features to the file and removes none: a feature that no longer exists
must be deleted by hand, and a test fails until then. In the file, headings start at the margin and
their words are indented. ``--flag``, ``--option=DEFAULT``, ``--required!``, ``--several*``,
``--pair(2)`` and ``--option:choice`` are the words of a command.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import click
from command_lines import list_commands
from paths import ROOT, SCHEMAS

import webapp.library
from scorer.match.events import Event
from scorer.practice.events import PracticeEvent
from scorer.rules.options import option_names
from scorer.rules.sets import RULE_SETS
from scorer.tournament.events import TournamentEvent
from webapp.config import Config
from webapp.factory import close_app, create_app
from webapp.language.choice import LANGUAGES
from webapp.pages.match.match_form import _PARSERS as MATCH_ACTIONS
from webapp.pages.match.matches import KINDS as MATCH_FILES
from webapp.pages.overlay import overlay
from webapp.pages.tournament.show import _PRINTS as PRINTS

FEATURES_FILE = ROOT / "tests" / "features.txt"
_COLUMNS = 100

#: A heading and one of its words; "" for the heading itself.
Feature = tuple[str, str]


def list_features() -> dict[Feature, None]:
    """Every feature of the program, in the order of the file."""
    parts = (_command_features, _server_features, _event_features, _json_features, _other_features)
    return {feature: None for part in parts for feature in part()}


def _head(heading: str, words: Iterable[str]) -> Iterator[Feature]:
    yield heading, ""
    yield from ((heading, word) for word in words)


def _command_features() -> Iterator[Feature]:
    for ctx in list_commands():
        words = [word for param in ctx.command.params for word in _describe_parameter(param)]
        yield from _head(ctx.command_path, words)


def _describe_parameter(param: click.Parameter) -> Iterator[str]:
    """How a parameter is written, its default, and the allowed words."""
    is_several = param.nargs < 0 or getattr(param, "multiple", False)
    default = param.to_info_dict()["default"]
    known = "" if default in (None, False, (), [], "") else json.dumps(default).strip('"')
    suffix = "*" if is_several else f"({param.nargs})" if param.nargs > 1 else ""
    suffix += "!" if param.required else ""
    if not getattr(param, "is_flag", False):
        suffix += f"={known.replace(' ', '')}"
    names = [param.name or ""] if isinstance(param, click.Argument) else param.opts
    choices = param.type.choices if isinstance(param.type, click.Choice) else ()
    for name in names:
        yield name + suffix
        yield from (f"{name}:{choice}" for choice in choices)


def _server_features() -> Iterator[Feature]:
    """Every page and route; routes of the API with their parameters and the fields of bodies and
    answers.
    """
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Config(database=str(Path(folder) / "matches.db")))
        document = app.test_client().get("/api/v1/openapi.json").json
        close_app(app)
    words = _name_page_values()
    for rule in sorted(map(_name_rule, app.url_map.iter_rules())):
        if "/api/v1/" not in rule or rule.endswith(("/docs", "/openapi.json")):
            yield from _head(rule, words.get(rule, ()))
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            given = [f"?{param['name']}" for param in operation.get("parameters", ())]
            bodies = operation.get("requestBody", {}).get("content", {}).values()
            sent = {name for body in bodies for name in _name_fields(body["schema"], document)}
            yield from _head(f"{method.upper()} {path}", [*given, *sorted(sent)])
            for code, answer in operation["responses"].items():
                contents = answer.get("content", {}).values() if code.startswith("2") else ()
                got = {name for body in contents for name in _name_fields(body["schema"], document)}
                if got:
                    yield from _head(f"{method.upper()} {path}, {code}", sorted(got))
    message = document["webhooks"]["event"]["post"]["requestBody"]["content"]["application/json"]
    yield from _head("a webhook's message", sorted(set(_name_fields(message["schema"], document))))


def _name_rule(rule: Any) -> str:
    return f"{'/'.join(sorted(rule.methods - {'HEAD', 'OPTIONS'}))} {rule}"


def _name_page_values() -> dict[str, Iterable[str]]:
    """The possible values of the variable parts of pages' addresses."""
    template = ROOT / "webapp" / "pages" / "tournament" / "tournament.html"
    kinds = re.findall(r"tournament\.export'.+?kind='(\w+)'", template.read_text(encoding="utf-8"))
    looks = (*overlay.PARTS, *overlay.CORNERS, *overlay.LAYOUTS, *overlay.LOOKS)
    return {
        "POST /match/<int:number>/<action>": sorted(MATCH_ACTIONS),
        "GET /match/<int:number>/export.<kind>": sorted(MATCH_FILES),
        "GET /tournaments/<int:number>/export.<kind>": sorted(kinds),
        "GET /tournaments/<int:number>/print/<what>": PRINTS,
        "GET /overlay": looks,
    }


def _event_features() -> Iterator[Feature]:
    """The events in logs of matches, practices and tournaments."""
    for kind in get_args(Event):
        yield from _head(f"match event {kind.type}", [field.name for field in fields(kind)])
    for log, events in (("practice", PracticeEvent), ("tournament", TournamentEvent)):
        for kind in get_args(events):
            names = [name for name in kind.model_fields if name != "type"]
            yield from _head(f"{log} event {kind.model_fields['type'].default}", names)


def _json_features() -> Iterator[Feature]:
    """The fields and enumerated values of every published JSON schema."""
    for path in sorted(SCHEMAS.glob("*.schema.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        yield from _head(path.name, sorted(set(_name_fields(schema, schema))))


def _name_fields(
    schema: Any, root: Any, prefix: str = "", seen: frozenset[str] = frozenset()
) -> Iterator[str]:
    """The fields of a schema by their paths, such as ``discs[].zone``, each only once in a
    cycle.
    """
    reference = schema.get("$ref")
    if reference in seen:
        return
    if reference is not None:
        target = root
        for key in reference.removeprefix("#/").split("/"):
            target = target[key]
        yield from _name_fields(target, root, prefix, seen | {reference})
    kind = schema.get("properties", {}).get("type", {}).get("const")
    if kind is not None:
        prefix = f"{prefix}({kind})"
    for choices in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for choice in schema.get(choices, ()):
            yield from _name_fields(choice, root, prefix, seen)
    if isinstance(schema.get("items"), dict):
        yield from _name_fields(schema["items"], root, f"{prefix}[]", seen)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _name_fields(schema["additionalProperties"], root, f"{prefix}.*", seen)
    for name, field in schema.get("properties", {}).items():
        path = f"{prefix}.{name}".removeprefix(".")
        yield path
        yield from _name_fields(field, root, path, seen)


def _other_features() -> Iterator[Feature]:
    yield from _head("rule sets", RULE_SETS)
    yield from _head("rule options", option_names())
    yield from _head("languages", LANGUAGES)
    for name in webapp.library.__all__:
        parameters = inspect.signature(getattr(webapp.library, name)).parameters
        yield from _head(f"webapp.library.{name}", parameters)


def format_features(features: Iterable[Feature]) -> str:
    """The text of the file."""
    words: dict[str, list[str]] = {}
    for heading, word in features:
        words.setdefault(heading, []).extend([word] * bool(word))
    lines = ["# Written by `make features`; see tests/support/feature_list.py."]
    for heading, own in words.items():
        lines.append(heading)
        lines += textwrap.wrap(
            " ".join(own),
            _COLUMNS,
            initial_indent="    ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines) + "\n"


def parse_features(text: str) -> dict[Feature, None]:
    """The features in a file's text."""
    found, heading = dict[Feature, None](), ""
    for line in text.splitlines():
        if line.startswith(" "):
            found |= dict.fromkeys((heading, word) for word in line.split())
        elif not line.startswith("#"):
            heading = line
            found[heading, ""] = None
    return found


def read_features() -> dict[Feature, None]:
    """The features in the file."""
    return parse_features(FEATURES_FILE.read_text(encoding="utf-8"))


def find_lost(kept: Iterable[Feature], present: Iterable[Feature]) -> list[str]:
    """Features of the first list that the second lacks; a missing heading stands for all its
    words.
    """
    here = set(present)
    headings = {heading for heading, _ in here}
    return [
        f"{heading}: {word}".removesuffix(": ")
        for heading, word in kept
        if (heading, word) not in here and (not word or heading in headings)
    ]


def main() -> int:
    """Write the file; if features are missing, print them and write nothing."""
    present = list_features()
    lost = find_lost(read_features(), present) if FEATURES_FILE.exists() else []
    if lost:
        print("Bring back, or delete in tests/features.txt by hand:", *lost, sep="\n  ")
        return 1
    FEATURES_FILE.write_text(format_features(present), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
