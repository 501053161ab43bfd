"""Passages of the five documents as shots, in plain millimetres, on both sides of every line.

A disc of 31.75 mm stands on an edge 15.475 mm from its centre, and lines are 1.6 mm wide. So a disc
is clear inside the 5-line up to 288.525 mm from the centre and touches it up to 321.075 mm; clear
inside the 15-line up to 85.325, partly inside up to 116.275, touching up to 117.875.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from judged_shots import scenario, told

X, O, P, Y = (0.0, 150.0), (-120.0, -60.0), (-150.0, 60.0), (150.0, 60.0)  # noqa: E741
HIT, VIA_OWN, MISS = [["s", "x"]], [["s", "o"], ["o", "x"]], [["s", "o"], ["o", "o2"]]
LEAVES = [["s", "x"], ["s", "outside"], ["s", "y"]]
#: Half the diagonal of a square: a place on a quadrant line.
DIAGONAL = math.sqrt(0.5)


def up(distance_mm: float) -> tuple[float, float]:
    return (0.0, distance_mm)


def down(distance_mm: float) -> tuple[float, float]:
    return (0.0, -distance_mm)


def beside_line(over_mm: float) -> tuple[float, float]:
    """A place 304.8 mm out, with its centre a given distance over the line between quadrants 3 and
    2.
    """
    along = math.sqrt(304.8**2 - over_mm**2)
    return (-DIAGONAL * (along + over_mm), -DIAGONAL * (along - over_mm))


def case(rules: str, passage: str, expected: str, /, **shot: Any) -> Any:
    """A shot and its outcome: the codes of its faults, and the discs that are removed, put back, or
    20s.
    """
    return pytest.param(rules, shot, expected, id=f"{rules}: {passage}")


OPEN = {"contacts": []}
CAROM = {"others": {"o": O}, "contacts": [["s", "o"]]}
CASES = [
    # Mayday
    case(
        "mayday",
        "2, touching the line from behind",
        "20s",
        placed=down(321.0),
        **OPEN,
        rest={"s": "in_hole"},
    ),
    case(
        "mayday",
        "2, clear behind the line",
        "placement -s",
        placed=down(321.2),
        **OPEN,
        rest={"s": up(50)},
    ),
    case(
        "mayday",
        "2, touching the line from inside",
        "",
        placed=down(288.6),
        **OPEN,
        rest={"s": up(50)},
    ),
    case(
        "mayday",
        "2, clear inside the line",
        "placement -s",
        placed=down(288.4),
        **OPEN,
        rest={"s": up(50)},
    ),
    case(
        "mayday",
        "2, half over a quadrant line",
        "",
        placed=beside_line(0.0),
        shooter_quadrant=3,
        **OPEN,
        rest={"s": up(50)},
    ),
    case(
        "mayday",
        "2, more than half over",
        "placement -s",
        placed=beside_line(0.5),
        shooter_quadrant=3,
        **OPEN,
        rest={"s": up(50)},
    ),
    case("mayday", "5, touching the 15-circle", "", **OPEN, rest={"s": up(117.8)}),
    case("mayday", "5, short of the 15-circle", "open_board -s", **OPEN, rest={"s": up(118.0)}),
    case(
        "mayday",
        "5, another disc knocked into the circle",
        "",
        **CAROM,
        rest={"s": up(250), "o": up(60)},
    ),
    case(
        "mayday",
        "5, no disc there: all contacted go",
        "open_board -s -o",
        **CAROM,
        rest={"s": up(250), "o": up(140)},
    ),
    case("mayday", "5, a 20 on an open board", "20s", **OPEN, rest={"s": "in_hole"}),
    case(
        "mayday",
        "6, a friendly disc driven into an opponent's",
        "",
        others={"o": O, "x": X},
        contacts=VIA_OWN,
        rest={"s": up(50)},
    ),
    case(
        "mayday",
        "6, no opponent's: it and what it touched",
        "no_contact -s -o",
        others={"o": O, "o2": P, "x": X},
        contacts=MISS,
        rest={"s": up(50)},
    ),
    case(
        "mayday",
        "Scoring 2, a 20 without contact is none",
        "no_contact -s",
        others={"x": X},
        contacts=[],
        rest={"s": "in_hole"},
    ),
    case(
        "mayday",
        "7, an opponent's 20 is the opponent's",
        "20x",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(200), "x": "in_hole"},
    ),
    case(
        "mayday",
        "8, what a returning disc disturbs is put back",
        "out_of_bounds -s +y",
        others={"x": X, "y": Y},
        contacts=LEAVES,
        rest={"s": up(250), "y": (200, 60)},
    ),
    case(
        "mayday",
        "Scoring 3, at rest touching the starting line",
        "out_of_bounds -x",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(50), "x": up(288.6)},
    ),
    case(
        "mayday",
        "Scoring 3, at rest clear of it",
        "",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(50), "x": up(288.4)},
    ),
    case(
        "mayday",
        "8, crossed and came back by itself",
        "",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(50), "x": up(250)},
        crossed=["x"],
    ),
    # Cogitate
    case(
        "cogitate",
        "8, an own disc strikes it",
        "",
        others={"o": O, "x": X},
        contacts=VIA_OWN,
        rest={"s": up(50)},
    ),
    case(
        "cogitate",
        "8, the order does not matter",
        "",
        others={"o": O, "x": X},
        contacts=[["s", "o"], ["s", "x"]],
        rest={"s": up(50)},
    ),
    case(
        "cogitate",
        "4, every own disc involved goes",
        "no_contact -s -o -o2",
        others={"o": O, "o2": P, "x": X},
        contacts=MISS,
        rest={"s": up(50)},
    ),
    case(
        "cogitate",
        "4, with its 20",
        "no_contact -s -o",
        others={"o": O, "x": X},
        contacts=[["s", "o"]],
        rest={"s": up(50), "o": "in_hole"},
    ),
    case(
        "cogitate",
        "8, a caromed own disc in the circle",
        "",
        **CAROM,
        rest={"s": up(250), "o": up(60)},
    ),
    case(
        "cogitate",
        "8, none in the circle: all own that moved",
        "open_board -s -o",
        **CAROM,
        rest={"s": up(250), "o": up(140)},
    ),
    case("cogitate", "4, touching the bumpers' circle", "", **OPEN, rest={"s": up(117.8)}),
    case(
        "cogitate", "4, outside the bumpers' circle", "open_board -s", **OPEN, rest={"s": up(118.0)}
    ),
    case(
        "cogitate",
        "advanced, wholly within",
        "",
        **OPEN,
        rest={"s": up(85.2)},
        options={"open_target": "within-15"},
    ),
    case(
        "cogitate",
        "advanced, on the line",
        "open_board -s",
        **OPEN,
        rest={"s": up(85.5)},
        options={"open_target": "within-15"},
    ),
    case(
        "cogitate",
        "advanced, only another disc in the circle",
        "open_board -s -o",
        **CAROM,
        rest={"s": up(250), "o": up(60)},
        options={"open_disc": "shooter-only"},
    ),
    case(
        "cogitate",
        "advanced, the disc shot and another (our reading)",
        "",
        **CAROM,
        rest={"s": up(-40), "o": up(60)},
        options={"open_disc": "shooter-only"},
    ),
    case(
        "cogitate",
        "4, touching a quadrant line from outside",
        "",
        placed=beside_line(16.2),
        shooter_quadrant=3,
        **OPEN,
        rest={"s": up(50)},
    ),
    case(
        "cogitate",
        "4, clear outside the quadrant",
        "placement -s",
        placed=beside_line(16.4),
        shooter_quadrant=3,
        **OPEN,
        rest={"s": up(50)},
    ),
    case(
        "cogitate",
        "advanced, not over a quadrant line",
        "",
        placed=beside_line(-14.7),
        shooter_quadrant=3,
        **OPEN,
        rest={"s": up(50)},
        options={"placement_quadrant": "within"},
    ),
    case(
        "cogitate",
        "advanced, over a quadrant line",
        "placement -s",
        placed=beside_line(-14.6),
        shooter_quadrant=3,
        **OPEN,
        rest={"s": up(50)},
        options={"placement_quadrant": "within"},
    ),
    case(
        "cogitate",
        "advanced, half over the shooting line",
        "",
        placed=down(304.9),
        **OPEN,
        rest={"s": up(50)},
        options={"placement_centre": "not-inside"},
    ),
    case(
        "cogitate",
        "advanced, more than half inside",
        "placement -s",
        placed=down(304.7),
        **OPEN,
        rest={"s": up(50)},
        options={"placement_centre": "not-inside"},
    ),
    case(
        "cogitate",
        "8, what a returning disc hit stays",
        "out_of_bounds -s",
        others={"x": X, "y": Y},
        contacts=LEAVES,
        rest={"s": up(250), "y": (200, 60)},
    ),
    case(
        "cogitate",
        "8, and its 20 counts",
        "out_of_bounds -s 20y",
        others={"x": X, "y": Y},
        contacts=LEAVES,
        rest={"s": up(250), "y": "in_hole"},
    ),
    case(
        "cogitate",
        "4, what left the playing area stays out",
        "out_of_bounds -x",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(50), "x": up(250)},
        crossed=["x"],
    ),
    case(
        "cogitate",
        "8, almost 20 stays and is none",
        "",
        others={"x": X},
        contacts=HIT,
        rest={"s": ("leaning", up(20))},
    ),
    # Traditional
    case(
        "traditional", "2, behind the 5-circle", "", placed=down(325.0), **OPEN, rest={"s": up(50)}
    ),
    case(
        "traditional",
        "2, inside the 5-circle",
        "placement -s",
        placed=down(288.4),
        **OPEN,
        rest={"s": up(50)},
    ),
    case(
        "traditional",
        "2, within the quadrant",
        "",
        placed=beside_line(-14.7),
        shooter_quadrant=3,
        **OPEN,
        rest={"s": up(50)},
    ),
    case(
        "traditional",
        "2, over the quadrant's line",
        "placement -s",
        placed=beside_line(-14.6),
        shooter_quadrant=3,
        **OPEN,
        rest={"s": up(50)},
    ),
    case(
        "traditional",
        "3, its own disc must strike",
        "no_contact -s",
        others={"o": O, "x": X},
        contacts=VIA_OWN,
        rest={"s": up(50)},
    ),
    case(
        "traditional",
        "variation, by an own disc",
        "",
        others={"o": O, "x": X},
        contacts=VIA_OWN,
        rest={"s": up(50)},
        options={"contact": "friendly-driven"},
    ),
    case(
        "traditional",
        "variation, all involved go",
        "no_contact -s -o -o2",
        others={"o": O, "o2": P, "x": X},
        contacts=MISS,
        rest={"s": up(50)},
        options={"contact": "friendly-driven", "miss_penalty": "involved"},
    ),
    case("traditional", "2, anywhere on an open board", "", **OPEN, rest={"s": up(280)}),
    case(
        "traditional",
        "variation, first shot within the 15",
        "",
        **OPEN,
        rest={"s": up(85.2)},
        options={"open_target": "within-15", "open_when": "first-shot"},
    ),
    case(
        "traditional",
        "variation, first shot outside it",
        "open_board -s",
        **OPEN,
        rest={"s": up(85.5)},
        options={"open_target": "within-15", "open_when": "first-shot"},
    ),
    case(
        "traditional",
        "variation, a later shot goes anywhere",
        "",
        **OPEN,
        rest={"s": up(280)},
        first_shot=False,
        options={"open_target": "within-15", "open_when": "first-shot"},
    ),
    case(
        "traditional",
        "4, at the edge of the surface",
        "",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(50), "x": up(314.2)},
    ),
    case(
        "traditional",
        "4, overhanging the edge",
        "out_of_bounds -x",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(50), "x": up(314.5)},
    ),
    case(
        "traditional",
        "variation, on the 5-circle",
        "out_of_bounds -x",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(50), "x": up(288.6)},
        options={"out_at_rest": "touching-line"},
    ),
    case(
        "traditional",
        "4, bounced back: goes, what it hit stays",
        "out_of_bounds -s",
        others={"x": X, "y": Y},
        contacts=LEAVES,
        rest={"s": up(250), "y": (200, 60)},
    ),
    # Family
    case(
        "family",
        "3, another disc touches one",
        "",
        others={"o": O, "x": X},
        contacts=VIA_OWN,
        rest={"s": up(50)},
    ),
    case(
        "family",
        "3, all discs touched that turn go",
        "no_contact -s -o -o2",
        others={"o": O, "o2": P, "x": X},
        contacts=MISS,
        rest={"s": up(50)},
    ),
    case("family", "3, on the outer circle", "", placed=down(321.0), **OPEN, rest={"s": up(200)}),
    case(
        "family",
        "3, behind the outer circle",
        "placement -s",
        placed=down(321.2),
        **OPEN,
        rest={"s": up(200)},
    ),
    case(
        "family",
        "option, partly inside the centre circle",
        "",
        **OPEN,
        rest={"s": up(116.2)},
        options={"open_target": "partly-inside-15"},
    ),
    case(
        "family",
        "option, on its line only",
        "open_board -s",
        **OPEN,
        rest={"s": up(116.4)},
        options={"open_target": "partly-inside-15"},
    ),
    case(
        "family",
        "option, it and all touched go",
        "open_board -s -o",
        **CAROM,
        rest={"s": up(250), "o": up(140)},
        options={"open_target": "partly-inside-15"},
    ),
    case(
        "family",
        "4, touching the outer circle",
        "out_of_bounds -x",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(50), "x": up(288.6)},
    ),
    case(
        "family",
        "4, crossed it and came back",
        "out_of_bounds -x",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(50), "x": up(250)},
        crossed=["x"],
    ),
    # NCA
    case("nca", "4, behind the line", "", placed=down(325.0), **OPEN, rest={"s": up(50)}),
    case(
        "nca",
        "4, half over a quadrant line",
        "",
        placed=beside_line(0.0),
        shooter_quadrant=3,
        **OPEN,
        rest={"s": up(50)},
    ),
    case(
        "nca",
        "4, more than half over it",
        "placement -s",
        placed=beside_line(0.5),
        shooter_quadrant=3,
        **OPEN,
        rest={"s": up(50)},
    ),
    case(
        "nca",
        "5, by a chain",
        "",
        others={"o": O, "o2": P, "x": X},
        contacts=[["s", "o"], ["o", "o2"], ["o2", "x"]],
        rest={"s": up(50)},
    ),
    case(
        "nca",
        "5, it and what it touched go, not what those touched",
        "no_contact -s -o",
        others={"o": O, "o2": P, "x": X},
        contacts=MISS,
        rest={"s": up(50)},
    ),
    case(
        "nca",
        "5, with a 20 that it made",
        "no_contact -s -o",
        others={"o": O, "x": X},
        contacts=[["s", "o"]],
        rest={"s": up(50), "o": "in_hole"},
    ),
    case(
        "nca",
        "5, no hiding: a struck disc in the ring",
        "",
        **CAROM,
        rest={"s": up(250), "o": up(60)},
    ),
    case("nca", "5, no hiding: touching the ring", "", **OPEN, rest={"s": up(117.8)}),
    case("nca", "5, no hiding: outside the ring", "open_board -s", **OPEN, rest={"s": up(118.0)}),
    case(
        "nca",
        "5, spinning disc stays",
        "",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(250)},
        crossed=["s"],
    ),
    case(
        "nca",
        "5, off the backboard it is out, its damage stays",
        "out_of_bounds -s 20y",
        others={"x": X, "y": Y},
        contacts=LEAVES,
        rest={"s": up(250), "y": "in_hole"},
    ),
    case(
        "nca",
        "5, touching the outer line",
        "out_of_bounds -x",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(50), "x": up(288.6)},
    ),
    case(
        "nca",
        "5, clear inside it",
        "",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(50), "x": up(288.4)},
    ),
    case(
        "nca",
        "7, an opponent's 20",
        "20x",
        others={"x": X},
        contacts=HIT,
        rest={"s": up(200), "x": "in_hole"},
    ),
]


def tell(rules: str, parts: dict[str, Any]) -> str:
    """The outcome of a shot in short: its faults, then -removed, +put back and 20s."""
    found = told(scenario(rules, **parts))
    removed = [f"-{disc}" for disc in sorted(found["remove"], key=_order)]
    put_back = [f"+{disc}" for disc in sorted(found["restore"])]
    twenties = [f"20{disc}" for disc in sorted(found["twenties"])]
    assert found["verdict"] == ("foul" if set(found["codes"]) - {"out_of_bounds"} else "legal")
    return " ".join([*found["codes"], *removed, *put_back, *twenties])


def _order(disc: str) -> tuple[bool, str]:
    return disc != "s", disc


@pytest.mark.parametrize(("rules", "parts", "expected"), CASES)
def test_a_passage_of_a_document_is_judged_as_it_reads(
    rules: str, parts: dict[str, Any], expected: str
) -> None:
    assert tell(rules, parts) == expected
