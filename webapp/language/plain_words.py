"""Single words that sentences from below are put together from: colours, calls, joining words."""

from __future__ import annotations

PLAIN_WORDS = ("and",)
