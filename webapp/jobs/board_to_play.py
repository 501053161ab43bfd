"""The next shot on the live board: its shooter, its place, and the discs on the board.

With a current match its turn decides; otherwise it is the side that did not shoot last. The place
of the last shot shows where the player sits: opposite, or one seat clockwise of it with four
players; before any shot it is the lowest quadrant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.live.live_state import LiveDisc, LiveVerdict
from webapp.live.match_summary import Match
from webapp.live.scoreboard import State

#: The value of a zone; nothing on the shooting line, where discs wait to be shot.
_SEATS, _LOWEST_DEG = 90.0, -90.0
_TWENTY = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardToPlay:
    """A board at rest, and the player to shoot.

    discs     those that count
    team      the referee's number; name: of the player, or of the team's colour
    seat_deg  direction of the middle of the shooter's quadrant, counter-clockwise from +x
    left      discs that the side and the other still have to shoot; None without a match between
              two sides
    """

    discs: tuple[LiveDisc, ...]
    team: int
    name: str
    seat_deg: float
    left: tuple[int, int] | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is the same for the same board, with places to a millimetre."""
        places = sorted((round(disc.x_mm), round(disc.y_mm), disc.team) for disc in self.discs)
        return (self.team, self.seat_deg, self.left, *places)


def find_board_to_play(state: State) -> BoardToPlay | None:
    """The board of a scoreboard's state; None while nothing is at rest, or the shooter is
    unknown.
    """
    live, match = state.live, state.match
    teams = {team.team: team.colour_name for team in live.teams}
    if not teams or live.is_moving or live.is_hand:
        return None
    last = live.verdict.team if live.verdict else None
    turn = _find_turn(match, teams) if match else _find_other(teams, last)
    if turn is None:
        return None
    team, name = turn
    discs = tuple(disc for disc in live.discs if 0 < disc.zone < _TWENTY and not disc.is_to_go)
    seats = len(match.players) if match else len(teams)
    return BoardToPlay(
        discs=discs,
        team=team,
        name=name,
        seat_deg=_find_seat(live.verdict, team, seats),
        left=_find_discs_left(match) if match else None,
    )


def _find_discs_left(match: Match) -> tuple[int, int] | None:
    """The discs that the side to shoot and the other still have to shoot."""
    own, *others = sorted(match.sides, key=lambda side: not side.has_turn)
    return (own.discs_left, others[0].discs_left) if len(others) == 1 else None


def _find_turn(match: Match, teams: Mapping[int, str]) -> tuple[int, str] | None:
    """The team of the side to shoot; None if the colour of its discs is not visible."""
    side = next((side for side in match.sides if side.has_turn), None)
    if side is None or match.turn is None:
        return None
    seen = [team for team, colour in teams.items() if colour == side.colour_name]
    return (seen[0], match.turn) if seen else None


def _find_other(teams: Mapping[int, str], last: int | None) -> tuple[int, str] | None:
    """The team that did not shoot last; the first team before any shot."""
    others: Sequence[int] = [team for team in sorted(teams) if team != last]
    return (others[0], teams[others[0]]) if others else None


def _find_seat(verdict: LiveVerdict | None, team: int, seats: int) -> float:
    """The shooter's seat, from the place of the last shot."""
    if verdict is None or not verdict.track:
        return _LOWEST_DEG
    x_mm, y_mm = verdict.track[0]
    shot_deg = math.degrees(math.atan2(y_mm, x_mm))
    last_deg = round(shot_deg / _SEATS) * _SEATS
    turn_deg = 0.0 if verdict.team == team else 180.0 if seats < 4 else -90.0
    return (last_deg + turn_deg + 180.0) % 360.0 - 180.0
