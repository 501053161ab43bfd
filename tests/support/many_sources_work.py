"""Work on a source for tests of archives: it succeeds, fails, or kills its process."""

from __future__ import annotations

import os
from typing import Any


def measure_name(source: str) -> dict[str, Any]:
    """Measure the length of a name; "bad" fails, and "worse" ends the process."""
    if source == "bad":
        raise ValueError("it is bad")
    if source == "worse":
        os._exit(7)
    return {"source": source, "status": "measured", "reason": None, "letters": len(source)}
