"""Matches as files that other programs read: JSON with the whole log, CSV with the rounds, and
Crokinole Match Notation (CMN 1.0), each there and back, with the date.

The match is folded, so that an impossible one is refused. Where logs are kept belongs to
scorer.store.
"""

from scorer.match.exchange.csv_file import match_as_csv, match_from_csv
from scorer.match.exchange.json_file import match_as_json, match_from_json
from scorer.match.exchange.notation import CMN_FORMATS, match_as_cmn
from scorer.match.exchange.read_file import read_matches
from scorer.match.exchange.record import MatchRecord

__all__ = [
    "CMN_FORMATS",
    "MatchRecord",
    "match_as_cmn",
    "match_as_csv",
    "match_as_json",
    "match_from_csv",
    "match_from_json",
    "read_matches",
]
