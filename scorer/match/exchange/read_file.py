"""The matches of a file in any of the three forms."""

from __future__ import annotations

from scorer.match.exchange.csv_file import record_from_csv
from scorer.match.exchange.json_file import parse_json, record_from_content
from scorer.match.exchange.notation import records_from_cmn
from scorer.match.exchange.record import MatchRecord


def read_matches(text: str, name: str) -> tuple[MatchRecord, ...]:
    """The matches of an exported file; CSV if its name ends in .csv. Raises ``MatchError``."""
    if name.lower().endswith(".csv"):
        return (record_from_csv(text),)
    content = parse_json(text)
    if isinstance(content, dict) and "cmn" in content:
        return records_from_cmn(content)
    return (record_from_content(content),)
