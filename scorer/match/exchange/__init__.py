"""Matches as files for other programs: JSON with the whole log, CSV with the rounds, and Crokinole
Match Notation (CMN 1.0), written and read, with the date.

A match is folded when read, so an impossible one is refused. `scorer.store` stores logs.
"""

from scorer.match.exchange.csv_file import match_as_csv
from scorer.match.exchange.json_file import match_as_json
from scorer.match.exchange.notation import CMN_FORMATS, match_as_cmn
from scorer.match.exchange.read_file import read_matches
from scorer.match.exchange.record import MatchRecord

__all__ = [
    "CMN_FORMATS",
    "MatchRecord",
    "match_as_cmn",
    "match_as_csv",
    "match_as_json",
    "read_matches",
]
