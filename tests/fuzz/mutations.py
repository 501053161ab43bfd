"""Strategies that alter valid inputs: bytes of a file, and values of a JSON document."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

#: Numbers that often cause failures.
_ODD_NUMBERS = (0, -1, 1, 2**31, 2**63, 10**30, 1e308, 1e-308, -0.0, 65536, 0.5, 10**400)
#: Texts that often cause failures.
ODD_TEXTS = (
    "", " ", "\0", "\x1b[2J", "\ud800", "\u202e", "A" * 41, "x" * 100_000, "../../etc/passwd",
    "%s%n", "{}", "{0.__class__}", "<script>", "'; DROP TABLE matches; --", "NaN", "1e999", "١",
    "1" * 25, "1" * 5000, "-1", "null", "\r\nX: y", "🎯", "é", "\ufeff",
)  # fmt: skip

odd_text = st.sampled_from(ODD_TEXTS) | st.text(max_size=20)
odd_json = st.recursive(
    st.none() | st.booleans() | st.sampled_from(_ODD_NUMBERS) | st.integers() | odd_text
    | st.floats(allow_nan=True),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(odd_text, inner, max_size=4),
    max_leaves=8,
)  # fmt: skip


@st.composite
def mutated_bytes(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    """A seed with some bytes changed, a piece doubled or left out, or its end cut off."""
    content = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(0, 8))):
        if not content:
            break
        place = draw(st.integers(0, len(content) - 1))
        match draw(st.sampled_from(("set", "flip", "odd", "cut", "double", "head"))):
            case "set":
                content[place] = draw(st.integers(0, 255))
            case "flip":
                content[place] ^= 1 << draw(st.integers(0, 7))
            case "odd":
                content[place : place + 4] = draw(
                    st.sampled_from((b"\0" * 4, b"\xff" * 4, b"\x7f\xff\xff\xff", b"\0\1\0\0"))
                )
            case "cut":
                del content[place : place + draw(st.integers(1, 64))]
            case "double":
                piece = content[place : place + draw(st.integers(1, 64))]
                content[place:place] = piece
            case "head":
                content[place % 64] = draw(st.integers(0, 255))
    return bytes(content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content)


@st.composite
def mutated_json(draw: st.DrawFn, seeds: Sequence[Any]) -> Any:
    """One of the documents with some of its values replaced, left out or added."""
    whole = copy.deepcopy(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(1, 4))):
        places = list(_list_places(whole))
        if not places:
            return draw(odd_json)
        inside, key = draw(st.sampled_from(places))
        match draw(st.sampled_from(("replace", "replace", "remove", "add", "repeat"))):
            case "replace":
                inside[key] = draw(odd_json)
            case "remove":
                del inside[key]
            case "add" if isinstance(inside, dict):
                inside[draw(odd_text)] = draw(odd_json)
            case "add":
                inside.append(draw(odd_json))
            case "repeat" if isinstance(inside, list):
                inside *= draw(st.sampled_from((2, 5, 50)))
            case _:
                inside[key] = draw(odd_json)
    return whole


def mutated_json_text(seeds: Sequence[Any]) -> st.SearchStrategy[bytes]:
    """JSON files: altered documents, and texts that are barely JSON."""
    whole = [json.dumps(seed).encode() for seed in seeds]
    extremes = (b"", b"[" * 100_000, b'{"a":' * 50_000, b"1" * 6000, b"\xff\xfe", b"null", b"\0")
    return (
        mutated_json(seeds).map(lambda content: json.dumps(content).encode())
        | mutated_bytes(whole)
        | st.sampled_from(extremes)
    )


def _list_places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document: its container, and its key or index there."""
    if isinstance(content, dict | list):
        for key in list(content) if isinstance(content, dict) else range(len(content)):
            yield content, key
            yield from _list_places(content[key])
