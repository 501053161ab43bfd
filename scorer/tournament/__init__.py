"""An evening of many matches: pairings, boards and standings.

A tournament is the fold of its events, as a match is. Pairings are events too. They are computed
once and recorded, so a correction never changes a pairing that was played. Entries (a player, a
pair or a team), matches and stages are numbered from 0.
"""

from scorer.tournament.events import TournamentError, TournamentEvent
from scorer.tournament.fold import fold
from scorer.tournament.standings import rank_entries
from scorer.tournament.state import TournamentState

__all__ = [
    "TournamentError",
    "TournamentEvent",
    "TournamentState",
    "fold",
    "rank_entries",
]
