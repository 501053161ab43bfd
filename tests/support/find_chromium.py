"""The browser that tests, soak runs and pictures of pages drive."""

from __future__ import annotations

import os
import shutil


def find_chromium() -> str | None:
    """The program that ``CROKINOLE_CHROMIUM`` names, else Debian's; None where there is none.

    The headless shell starts a window in a third of the time of the browser with all its services.
    """
    named = os.environ.get("CROKINOLE_CHROMIUM")
    return named or shutil.which("chromium-headless-shell") or shutil.which("chromium")
