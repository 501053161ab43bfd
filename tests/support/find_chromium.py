"""Finds the browser for tests, soak runs and pictures of pages."""

from __future__ import annotations

import os
import shutil


def find_chromium() -> str | None:
    """The program named by ``CROKINOLE_CHROMIUM``, otherwise Debian's; None if there is none.

    The headless shell opens a window in a third of the time of the full browser.
    """
    named = os.environ.get("CROKINOLE_CHROMIUM")
    return named or shutil.which("chromium-headless-shell") or shutil.which("chromium")
