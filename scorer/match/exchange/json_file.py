"""A match as JSON: the whole log with the times of its events, which is read back unchanged."""

from __future__ import annotations

import json
from collections.abc import Sequence

from calibration.json_text import format_json
from calibration.phrase import Phrase
from scorer.match.entry_bounds import check_log_entry
from scorer.match.events import Event, MatchError, event_from_json, event_json
from scorer.match.exchange.record import MatchRecord, check_file_size, read_time
from scorer.match.fold import fold
from scorer.texts import quote

_KIND, _VERSION = "crokinole-match", 1


def match_as_json(log: Sequence[Event], times: Sequence[str] = ()) -> str:
    """The whole log as JSON, with the times of its events if they are known."""
    content: dict[str, object] = {"format": _KIND, "version": _VERSION}
    if times:
        content["times"] = list(times)
    content["events"] = [event_json(event) for event in log]
    return format_json(content, indent=1, ensure_ascii=False) + "\n"


def parse_json(text: str) -> object:
    """The content of JSON. Raises ``MatchError``."""
    check_file_size(text)
    if not text.strip():
        raise MatchError(Phrase("The file is empty. Export the match again."))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise MatchError(Phrase("This is not JSON. Export the match again.")) from None


def record_from_content(content: object) -> MatchRecord:
    """The match from parsed JSON. Raises ``MatchError``."""
    if not isinstance(content, dict) or content.get("format") != _KIND:
        raise MatchError(
            Phrase(
                "This JSON file does not contain a match. Export one with `crokinole match export`."
            )
        )
    if content.get("version") != _VERSION:
        raise MatchError(
            Phrase(
                "This match file has format version %(version)s, but this program can "
                "read only version %(supported)s. Update crokinole.",
                version=quote(content.get("version")),
                supported=_VERSION,
            )
        )
    events, times = content.get("events"), content.get("times", [])
    if not isinstance(events, list):
        raise MatchError(Phrase("This match has no list of events. Export it again."))
    if not isinstance(times, list) or (times and len(times) != len(events)):
        raise MatchError(Phrase("Some events in this match file have no time. Export it again."))
    log = tuple(event_from_json(event) for event in events)
    check_log_entry(log)
    fold(log)
    return MatchRecord(log=log, times=tuple(read_time(time) for time in times))
