"""JSON as the program writes it: zeros have no sign, because nobody can measure one."""

from __future__ import annotations

import json
from typing import Any


def format_json(content: Any, **layout: Any) -> str:
    """The JSON text of plain values; ``layout`` as of ``json.dumps``."""
    return json.dumps(drop_zero_signs(content), **layout)


def drop_zero_signs(content: Any) -> Any:
    """The same values with 0.0 for every -0.0, in dictionaries, lists and tuples too."""
    if isinstance(content, float):
        return content + 0.0
    if isinstance(content, dict):
        return {key: drop_zero_signs(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [drop_zero_signs(each) for each in content]
    return content
