"""JSON for the scripts of a page, with its texts in the page's language.

Programs get English. A script names its page's language by the header ``X-Page-Language``, or by
``?lang=`` for an event stream, and shows what it gets as it is.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from calibration.phrase import Phrase, put_phrases
from webapp.language.template_texts import translate_into


def word_json(content: Any, language: str) -> Any:
    """Plain JSON with its phrases worded in a language; an event stays in English, as for
    programs.
    """
    if isinstance(content, dict):
        return {
            name: value if name == "event" else word_json(value, language)
            for name, value in content.items()
        }
    if isinstance(content, list):
        return [word_json(value, language) for value in content]
    return translate_into(language, content) if isinstance(content, Phrase) else content


@lru_cache(maxsize=64)
def word_message(encoded: bytes, phrases: str, language: str) -> bytes:
    """A server-sent event worded in a language, once for all its readers.

    phrases  JSON of ``calibration.phrase.list_phrases`` for its data
    """
    head, _, data = encoded.decode().partition("\ndata: ")
    worded = word_json(put_phrases(json.loads(data), json.loads(phrases)), language)
    body = json.dumps(worded, separators=(",", ":"), ensure_ascii=False)
    return f"{head}\ndata: {body}\n\n".encode()
