"""JSON for the scripts of a page, with its sentences in the page's language.

Programs get English. A script names its page's language by the header ``X-Page-Language``, or by
``?lang=`` for an event stream, and shows what it gets as it is.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from webapp.language.page_words import translate_into

#: The keys of sentences: other texts are codes, and the names and numbers of the match.
_SENTENCES = frozenset(
    [
        "about",
        "account",
        "advice",
        "doubts",
        "error",
        "evidence",
        "first_look",
        "goal",
        "needs",
        "next",
        "note",
        "notice",
        "penalty",
        "question",
        "reason",
        "removal",
        "rule",
        "rules_title",
        "sentence",
        "spoken",
        "stage",
        "title",
        "words",
    ]
)


def word_json(content: Any, language: str, key: str = "") -> Any:
    """Plain JSON worded in a language; an event is left as programs know it."""
    if isinstance(content, dict):
        is_pairing = "stage" in content  # whose title is the organiser's
        return {
            name: value
            if name == "event" or (name == "title" and is_pairing)
            else word_json(value, language, name)
            for name, value in content.items()
        }
    if isinstance(content, list):
        return [word_json(value, language, key) for value in content]
    is_sentence = key in _SENTENCES and isinstance(content, str)
    return translate_into(language, content) if is_sentence else content


@lru_cache(maxsize=64)
def word_message(encoded: bytes, language: str) -> bytes:
    """A server-sent event worded in a language, once for all who read it."""
    head, _, data = encoded.decode().partition("\ndata: ")
    worded = word_json(json.loads(data), language)
    body = json.dumps(worded, separators=(",", ":"), ensure_ascii=False)
    return f"{head}\ndata: {body}\n\n".encode()
