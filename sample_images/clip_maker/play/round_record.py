"""The types of a played round: discs at rest, shots with their truth, the round.

Board frame, mm; side A sits at -y, side B at +y, and a disc's id begins with its side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scorer.physics.engine import Contact, SimulationResult
from scorer.physics.scene import FlickSpec as Flick
from scorer.physics.scene import TableSpec
from scorer.rules.board_geometry import LINE_5, LINE_10, LINE_15, BoardGeometry
from scorer.rules.judge_shot import ShotJudgement, Verdict
from scorer.rules.shot import is_non_disc

#: The physics' name for the hole in contacts; the referee is not given these contacts.
_HOLE_CONTACTS = ("hole", "hole_missed", "sunk")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscRecord:
    """A disc at rest: "flat" | "in_hole" | "leaning" | "overhanging" | "ditch".

    z_mm, tilt_deg, lean_deg  of one that leans on the hole's edge; see ``renderer.scene.Disc``
    """

    id: str
    x_mm: float
    y_mm: float
    state: str = "flat"
    z_mm: float = 0.0
    tilt_deg: float = 0.0
    lean_deg: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedShot:
    """A shot with its truth.

    before   discs on the board before it, without the shooter's
    remove   the discs that the rules remove; twenties: the 20s, removed too
    gap_mm   closest gap between the shooter's side and an opponent's disc that it missed; None
             after a touch
    left     removals that the players forget
    nudge    a disc that a person pushes afterwards, and its new place
    """

    index: int
    side: str
    id: str
    intent: str
    flick: Flick
    before: tuple[DiscRecord, ...]
    outcome: SimulationResult
    after: tuple[DiscRecord, ...]
    judgement: ShotJudgement
    remove: tuple[str, ...]
    twenties: tuple[str, ...]
    gap_mm: float | None
    left: tuple[str, ...] = ()
    nudge: tuple[str, float, float] | None = None

    @property
    def is_foul(self) -> bool:
        """Whether it is a foul by the rules."""
        return self.judgement.verdict is Verdict.FOUL

    @property
    def lost(self) -> tuple[str, ...]:
        """Discs that left the surface."""
        return tuple(disc.id for disc in self.after if disc.state == "ditch")

    @property
    def touched_opponents(self) -> frozenset[str]:
        """Opponents' discs that were touched."""
        pairs = contact_pairs(self.outcome.contacts)
        return frozenset(
            name
            for pair in pairs
            for name in pair
            if not is_non_disc(name) and name[0] != self.side
        )

    def rest(self, name: str) -> DiscRecord:
        """A disc's place afterwards."""
        return next(disc for disc in self.after if disc.id == name)

    def moved_mm(self, name: str) -> float:
        """Distance of a disc from its old place; infinite if it left the surface."""
        was = next(disc for disc in self.before if disc.id == name)
        now = self.rest(name)
        is_lost = now.state == "ditch"
        return math.inf if is_lost else math.hypot(now.x_mm - was.x_mm, now.y_mm - was.y_mm)


@dataclass(frozen=True, slots=True, kw_only=True)
class TruePass:
    """The opponent's disc nearest to the flick's straight path.

    gap_mm  of the two edges, as if they could overlap; below 0 they touched
    """

    id: str
    gap_mm: float


def find_near_pass(shot: SimulatedShot, disc_radius_mm: float) -> TruePass | None:
    """The opponent's disc closest to the flick's straight path; None without one ahead."""
    angle = math.radians(shot.flick.direction_deg)
    way = math.cos(angle), math.sin(angle)
    passes = []
    for disc in shot.before:
        x, y = disc.x_mm - shot.flick.x_mm, disc.y_mm - shot.flick.y_mm
        if disc.id[0] != shot.side and x * way[0] + y * way[1] > 0:
            off_mm = abs(x * way[1] - y * way[0])
            passes.append(TruePass(id=disc.id, gap_mm=off_mm - 2 * disc_radius_mm))
    return min(passes, key=lambda true_pass: true_pass.gap_mm, default=None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundRecord:
    """All shots of a round.

    lying             on the board at the start
    counted_twenties  the 20s by id
    """

    table: TableSpec
    geometry: BoardGeometry
    shots: tuple[SimulatedShot, ...]
    lying: tuple[DiscRecord, ...]
    final: tuple[DiscRecord, ...]
    counted_twenties: tuple[str, ...]


def contact_pairs(contacts: Sequence[Contact]) -> tuple[tuple[str, str], ...]:
    """The contacts given to the referee, in order of time."""
    return tuple((contact.a, contact.b) for contact in contacts if contact.b not in _HOLE_CONTACTS)


def zone_of(sizes: BoardGeometry, disc: DiscRecord) -> int:
    """Points of a disc at a place."""
    if disc.state in ("ditch", "overhanging"):
        return 0
    if disc.state == "in_hole":
        return 20
    if disc.state == "leaning":
        return 15
    for zone, line in ((15, LINE_15), (10, LINE_10), (5, LINE_5)):
        if sizes.margin_mm(line, disc.x_mm, disc.y_mm) > 0:
            return zone
    return 0
