"""Skill of a player: the scatter of direction, speed and spin about the intended flick.

The named skills have the published shares of 20s on an open board for such players: 75.6% for the
champion, 65% for the best, 55% for average competitors and 35% for novices
(pudding.cool/2024/10/crokinole). One figure cannot determine two scatters, so their ratio is
assumed: 1.4% to 1.7% of speed per milliradian, because 7 mrad with 10% matched the open 20s and the
20s of record games best. Nobody has measured a player's hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One sigma of a player's flick: direction in mrad, relative speed, angular speed in rad/s.

    The defaults are an average competitor's.
    """

    aim_mrad: float = 11.0
    speed_ratio: float = 0.155
    spin_rad_s: float = 5.0


class SkillName(StrEnum):
    """The skill levels, from the lowest to the highest."""

    NOVICE = "novice"
    CLUB = "club"
    STRONG = "strong"
    CHAMPION = "champion"


#: 20,000 straight flicks at the best speed made 35%, 55%, 65% and 76% of 20s on an open board.
SKILLS = {
    SkillName.NOVICE: Skill(aim_mrad=15.5, speed_ratio=0.22),
    SkillName.CLUB: Skill(),
    SkillName.STRONG: Skill(aim_mrad=9.0, speed_ratio=0.133),
    SkillName.CHAMPION: Skill(aim_mrad=7.0, speed_ratio=0.117),
}
