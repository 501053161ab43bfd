"""Work on a source in tests of archives: done, failed, or taking its process along."""

from __future__ import annotations

import os
from typing import Any


def measure_name(source: str) -> dict[str, Any]:
    """The length of a name; "bad" fails, and "worse" ends the process."""
    if source == "bad":
        raise ValueError("it is bad")
    if source == "worse":
        os._exit(7)
    return {"source": source, "status": "measured", "reason": None, "letters": len(source)}
