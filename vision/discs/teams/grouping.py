"""Groups of a board's discs by colour, and the number of colours.

Colours are compared in any light (``appearances``) and joined nearest first, groups by their mean
distance (average linkage, Sokal and Michener 1958). A side's colours form a long chain, not a ball,
if the light changes across the board. From the top down, a group is split if light cannot explain
the distance between its halves, or if that gap stands out among the distances within the halves. A
third side is rarer than a second and needs a wider gap. Near those bounds another grouping is
nearly as likely, which ``is_open`` reports. Two sides with one disc each of nearly one colour look
like one side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibration.camera import FloatArray
from calibration.parameters import StageParameters, parameter
from vision.discs.teams.appearances import measure_apart_in_any_light


class GroupingParameters(StageParameters):
    """Parameters of ``grouping``."""

    stage: ClassVar[str] = "discs.grouping"

    #: Two halves of a group belong to two sides beyond this distance, ...
    second_team_lab: float = parameter(
        14.0,
        unit="weighted Lab",
        source="measured on 98 teams: halves of one team differ by 13.4 or less, and once by 16.4",
    )
    #: ... and to a third side, which few games have, beyond this.
    third_team_lab: float = parameter(
        28.0,
        unit="weighted Lab",
        source="measured on photographs: discs of one team under two lamps differ by up to 25.8",
    )
    #: Within this of either limit a person is asked.
    open_lab: float = parameter(
        3.0,
        unit="weighted Lab",
        source="measured on 98 teams: with this, even odds become three to one",
    )
    #: A gap this many times as wide as any within its halves separates two sides, however narrow it
    #: is.
    stands_out: float = parameter(
        3.5,
        unit="",
        source="measured on 38 teams of at least four discs: at most 3.1, mostly under 2",
    )
    #: A narrower gap does not count.
    least_lab: float = parameter(
        1.5, unit="weighted Lab", source="measured: JPEG and noise move a face's median by 0.5"
    )


PARAMS = GroupingParameters()
#: Fewest discs of a group; a single disc may be in different light.
_HEAP = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColourGroups:
    """Groups of n discs by colour, light to dark.

    centres  their median colours, weighted Lab: (k, 3)
    member   index of the group of each disc: (n,)
    is_open  whether another grouping is nearly as likely
    """

    centres: FloatArray
    member: np.ndarray
    is_open: bool


@dataclass(frozen=True, slots=True)
class _Heap:
    """Discs that belong together: their indices, the distance between the two halves, and the
    halves.
    """

    discs: tuple[int, ...]
    apart_lab: float = 0.0
    halves: tuple[_Heap, ...] = ()


def group_colours(lab: FloatArray) -> ColourGroups:
    """Groups of discs of colours (n, 3), weighted Lab, by their colour in any light."""
    if len(lab) == 0:
        return ColourGroups(centres=np.zeros((0, 3)), member=np.zeros(0, int), is_open=False)
    groups, is_open = [_join_nearest(measure_apart_in_any_light(lab, lab))], False
    while True:
        bound_lab = PARAMS.second_team_lab if len(groups) == 1 else PARAMS.third_team_lab
        widest = max(groups, key=lambda heap: heap.apart_lab)
        standing = next((heap for heap in groups if _stands_out(heap)), None)
        is_near = abs(widest.apart_lab - bound_lab) < PARAMS.open_lab
        is_open |= is_near and widest is not standing
        is_wide = widest.apart_lab > bound_lab
        if not is_wide and standing is not None:
            is_open |= standing.apart_lab < bound_lab - PARAMS.open_lab
        split = widest if is_wide else standing if len(groups) == 1 else None
        if split is None:
            break
        groups = [*(heap for heap in groups if heap is not split), *split.halves]
    centres = np.array([np.median(lab[list(heap.discs)], axis=0) for heap in groups])
    order = np.argsort(-centres[:, 0], kind="stable")
    member = np.zeros(len(lab), dtype=int)
    for k, i in enumerate(order):
        member[list(groups[i].discs)] = k
    return ColourGroups(centres=centres[order], member=member, is_open=is_open)


def _join_nearest(apart_lab: FloatArray) -> _Heap:
    """All of n discs ``apart_lab`` (n, n) as one tree, joined by average linkage."""
    heaps = [_Heap((i,)) for i in range(len(apart_lab))]
    apart_lab = apart_lab.copy()
    np.fill_diagonal(apart_lab, np.inf)
    while len(heaps) > 1:
        one, other = sorted(np.unravel_index(int(apart_lab.argmin()), apart_lab.shape))
        a, b = heaps[one], heaps[other]
        joined = _Heap(a.discs + b.discs, float(apart_lab[one, other]), (a, b))
        shares = np.array([len(a.discs), len(b.discs)]) / len(joined.discs)
        apart_lab[one] = apart_lab[:, one] = shares @ apart_lab[[one, other]]
        apart_lab[one, one] = np.inf
        apart_lab = np.delete(np.delete(apart_lab, other, axis=0), other, axis=1)
        heaps[one] = joined
        del heaps[other]
    return heaps[0]


def _stands_out(heap: _Heap) -> bool:
    """Whether the gap between two halves is far wider than any within them."""
    if not heap.halves or min(len(half.discs) for half in heap.halves) < _HEAP:
        return False
    within_lab = max(half.apart_lab for half in heap.halves)
    return heap.apart_lab > max(PARAMS.stands_out * within_lab, PARAMS.least_lab)
