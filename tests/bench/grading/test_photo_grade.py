"""Scores compared with truth of both kinds: every kind of mistake is counted once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.grading.photo_grade import grade_photo
from bench.grading.summary import list_outcomes, summarise
from sample_images.renderer.picture_truth import load_pictures_with_truth, parse_truth

TURN = {count: np.linalg.matrix_power(np.array([[0, -1], [1, 0]]), count) for count in range(4)}


def true_disc(colour: str, x: float, y: float, value: int, margin_mm: float = 9.0) -> dict:
    return {
        "colour": colour,
        "x": x,
        "y": y,
        "state": "flat",
        "value": value,
        "margin_mm": margin_mm,
    }


def rendered(*discs: dict, tilt_deg: float = 20.0, line_10: float = 203.2) -> dict[str, Any]:
    totals: dict[str, int] = {"white": 0, "black": 0}
    for disc in discs:
        totals[disc["colour"]] += disc["value"]
    return {
        "K": [[1000.0, 0, 640], [0, 1000.0, 480], [0, 0, 1]],
        "t": [0.0, 0.0, 1000.0],
        "tilt_deg": tilt_deg,
        "board": {"line_radii": [line_10 / 2, line_10, 1.5 * line_10]},
        "disc": {"radius": 16.0},
        "discs": list(discs),
        "totals": totals,
    }


def said_disc(
    team: int, x_mm: float, y_mm: float, zone: int, call: str = "certain", px: Any = (0, 0)
) -> dict[str, Any]:
    return {
        "team": team,
        "x_mm": x_mm,
        "y_mm": y_mm,
        "foot_px": list(px),
        "zone": zone,
        "call": call,
    }


def entry(*discs: dict, needs_review: bool = False, status: str = "scored") -> dict[str, Any]:
    teams = sorted({disc["team"] for disc in discs} | {0, 1})
    return {
        "status": status,
        "needs_review": needs_review,
        "probability_right": 0.5 if needs_review else 0.99,
        "camera": {"tilt_deg": 30.0} if status == "scored" else None,
        "discs": list(discs),
        "totals": [
            {"team": team, "points": sum(d["zone"] for d in discs if d["team"] == team)}
            for team in teams
        ],
    }


ROUND = rendered(
    true_disc("white", 60.0, 10.0, 15),
    true_disc("black", 150.0, -20.0, 10),
    true_disc("black", -40.0, 240.0, 5, margin_mm=0.3),
)
SAID = (
    said_disc(0, 60.1, 10.0, 15),
    said_disc(1, 150.0, -20.2, 10),
    said_disc(1, -40.0, 240.3, 5, call="close"),
)


def test_all_right_is_exact() -> None:
    result = grade_photo("a", parse_truth(ROUND), entry(*SAID, needs_review=True))
    assert result.is_exact
    assert result.is_found
    assert not result.is_silently_wrong
    assert (result.discs, result.missed, result.extra) == (3, 0, 0)
    assert (result.zone_wrong, result.certain_wrong, result.team_wrong) == (0, 0, 0)
    assert (result.close, result.safe, result.safe_right) == (1, 2, 2)
    assert sorted(result.foot_errors_mm) == pytest.approx([0.1, 0.2, 0.3], abs=1e-9)


@pytest.mark.parametrize("turns", range(4))
def test_a_board_looks_alike_from_four_sides(turns: int) -> None:
    turned = []
    for disc in SAID:
        x, y = TURN[turns] @ (disc["x_mm"], disc["y_mm"])
        turned.append(disc | {"x_mm": float(x), "y_mm": float(y)})
    result = grade_photo("a", parse_truth(ROUND), entry(*turned))
    assert result.missed == 0
    assert max(result.foot_errors_mm) < 0.31


def test_the_scale_is_set_by_the_ten_line() -> None:
    small = rendered(true_disc("white", 100.0, 0.0, 10), line_10=101.6)
    result = grade_photo("a", parse_truth(small), entry(said_disc(0, 200.0, 0.0, 10)))
    assert result.foot_errors_mm == pytest.approx((0.0,))


def test_a_wrong_total_without_review_is_silently_wrong() -> None:
    wrong = (SAID[0] | {"zone": 10}, *SAID[1:])
    silent = grade_photo("a", parse_truth(ROUND), entry(*wrong))
    said_so = grade_photo("a", parse_truth(ROUND), entry(*wrong, needs_review=True))
    assert (silent.is_exact, silent.is_silently_wrong) == (False, True)
    assert (said_so.is_exact, said_so.is_silently_wrong) == (False, False)
    assert (silent.zone_wrong, silent.certain_wrong, silent.safe_right) == (1, 1, 1)


CLEAR = rendered(*(disc | {"margin_mm": 4.0} for disc in ROUND["discs"]))
EMPTY = rendered() | {"board": None}
WRONG = (SAID[0] | {"zone": 10}, *SAID[1:])


@pytest.mark.parametrize(
    ("truth", "said", "ends"),
    [
        (ROUND, entry(*SAID), ["is_settled"]),
        (ROUND, entry(*SAID, needs_review=True), ["is_asked"]),  # one is 0.3 mm from a line
        (CLEAR, entry(*SAID, needs_review=True), ["is_asked", "is_needless"]),
        (ROUND, entry(*WRONG, needs_review=True), ["is_asked"]),
        (ROUND, entry(*WRONG), ["is_silently_wrong"]),
        (ROUND, entry(status="no_board", needs_review=True), []),
        (EMPTY, entry(status="no_board", needs_review=True), ["is_settled"]),
    ],
    ids=["settled", "asked", "needless", "wrong", "silent", "refused", "no board"],
)
def test_every_picture_comes_to_one_end(truth: dict, said: dict, ends: list[str]) -> None:
    result = grade_photo("a", parse_truth(truth), said)
    names = ("is_settled", "is_asked", "is_needless", "is_silently_wrong")
    assert [name for name in names if getattr(result, name)] == ends
    assert sum(count for _, count in list_outcomes(summarise([result]))) == 1


def test_outcomes_add_up_to_all_pictures() -> None:
    said = [entry(*SAID), entry(*SAID, needs_review=True), entry(*WRONG, needs_review=True)]
    said += [entry(*WRONG), entry(status="no_board", needs_review=True)]
    total = summarise([grade_photo("a", parse_truth(CLEAR), reading) for reading in said])
    assert list_outcomes(total) == [
        ("settled", 1),
        ("right, but asked", 1),
        ("wrong, but asked", 2),  # a board that was not found is among them
        ("wrong without asking", 1),
    ]
    assert (total.settled, total.asked, total.asked_needlessly) == (1, 2, 1)


def test_a_disc_is_close_for_a_person_by_its_margin_or_its_label() -> None:
    margins = parse_truth(
        rendered(*(true_disc("white", 9, 9, 5, margin_mm=m) for m in (-0.5, 0.7)))
    )
    assert [disc.is_close for disc in margins.discs] == [True, False]
    labels = {
        **LABELLED,
        "discs": [LABELLED["discs"][0] | {"close": is_close} for is_close in (True, False)],
    }
    assert [disc.is_close for disc in parse_truth(labels).discs] == [True, False]


def test_a_wrong_zone_called_close_is_not_certain() -> None:
    wrong = (*SAID[:2], SAID[2] | {"zone": 0})
    result = grade_photo("a", parse_truth(ROUND), entry(*wrong, needs_review=True))
    assert (result.zone_wrong, result.certain_wrong) == (1, 0)


def test_missed_and_invented_discs_are_counted() -> None:
    result = grade_photo("a", parse_truth(ROUND), entry(*SAID[1:], said_disc(0, -200.0, -90.0, 5)))
    assert (result.missed, result.extra) == (1, 1)


def test_teams_are_compared_up_to_their_names() -> None:
    swapped = [disc | {"team": 1 - disc["team"]} for disc in SAID]
    assert grade_photo("a", parse_truth(ROUND), entry(*swapped)).team_wrong == 0
    one_side = [disc | {"team": 0} for disc in SAID]
    assert grade_photo("a", parse_truth(ROUND), entry(*one_side)).team_wrong == 1


def test_foot_errors_are_stated_for_moderate_tilts_only() -> None:
    oblique = rendered(true_disc("white", 60.0, 10.0, 15), tilt_deg=50.0)
    assert grade_photo("a", parse_truth(oblique), entry(SAID[0])).foot_errors_mm == ()


def test_an_unscored_board_is_neither_found_nor_silently_wrong() -> None:
    result = grade_photo("a", parse_truth(ROUND), entry(status="no_board", needs_review=True))
    assert (result.is_found, result.is_exact, result.is_silently_wrong) == (False, False, False)
    assert result.missed == 3


def test_a_picture_without_a_board_is_exact_when_none_is_scored() -> None:
    nothing = rendered() | {"board": None}
    right = grade_photo("a", parse_truth(nothing), entry(status="no_board", needs_review=True))
    invented = grade_photo("a", parse_truth(nothing), entry())
    assert (right.is_exact, right.is_found) == (True, False)
    assert (invented.is_exact, invented.is_silently_wrong) == (False, True)


LABELLED = {
    "discs": [
        {"team": "red", "px": [100, 100], "r_px": 10, "zone": 15, "state": "flat"},
        {
            "team": "red",
            "px": [200, 100],
            "r_px": 10,
            "zone": 10,
            "state": "flat",
            "close": True,
            "alt_zone": 5,
        },
        {"team": "tan", "px": [300, 100], "r_px": 10, "zone": 5, "state": "flat"},
    ],
    "totals": {"red": 25, "tan": 5},
    "ignore": [{"px": [400, 100]}],
}


def seen(*zones: int) -> list[dict]:
    places = [(101, 106), (201, 105), (299, 108)]
    teams = [0, 0, 1]
    return [
        said_disc(team, 0.0, 0.0, zone, px=place)
        for team, zone, place in zip(teams, zones, places, strict=True)
    ]


@pytest.mark.parametrize(
    ("zones", "is_exact", "zone_wrong"),
    [((15, 10, 5), True, 0), ((15, 5, 5), True, 0), ((15, 15, 5), False, 1)],
    ids=["the label", "its alternative", "neither"],
)
def test_a_doubtful_label_accepts_its_alternative(zones, is_exact, zone_wrong) -> None:
    result = grade_photo("a", parse_truth(LABELLED), entry(*seen(*zones)))
    assert (result.is_exact, result.zone_wrong) == (is_exact, zone_wrong)
    assert result.foot_errors_mm == ()


def test_a_disc_in_a_hand_is_neither_right_nor_wrong() -> None:
    in_hand, elsewhere = (said_disc(0, 0, 0, 0, px=px) for px in ((405, 110), (405, 140)))
    assert grade_photo("a", parse_truth(LABELLED), entry(*seen(15, 10, 5), in_hand)).extra == 0
    assert grade_photo("a", parse_truth(LABELLED), entry(*seen(15, 10, 5), elsewhere)).extra == 1


def test_a_disc_too_far_from_its_label_is_missed_and_extra() -> None:
    far = [*seen(15, 10, 5)[:2], said_disc(1, 0, 0, 5, px=(300, 116))]
    result = grade_photo("a", parse_truth(LABELLED), entry(*far))
    assert (result.missed, result.extra) == (1, 1)


def measured_disc(margin_mm: float, sigma_mm: float, state: str = "flat") -> dict[str, Any]:
    disc = said_disc(0, 60.0, 10.0, 15)
    return disc | {"margin_mm": margin_mm, "sigma_mm": sigma_mm, "state": state}


#: A line of no width at 101.6 mm, and a disc that reaches (60² + 10²)^½ + 15 = 75.828 mm out.
TRUE_MARGIN_MM = 25.772


def with_sizes(content: dict[str, Any]) -> dict[str, Any]:
    """The truth with the sizes from which margins to lines follow."""
    board, disc = content["board"], content["disc"]
    return content | {
        "board": board | {"line_width": 0.0},
        "disc": disc | {"bottom_radius": 15.0},
    }


@pytest.mark.parametrize(
    ("margin_mm", "z2"),
    [(TRUE_MARGIN_MM + 0.6, 4.0), (TRUE_MARGIN_MM - 0.3, 1.0), (TRUE_MARGIN_MM + 101.6 + 0.3, 1.0)],
    ids=["too far in", "too far out", "of the next line"],
)
def test_a_margins_error_is_told_in_its_sigmas(margin_mm: float, z2: float) -> None:
    truth = parse_truth(with_sizes(rendered(true_disc("white", 60.0, 10.0, 15))))
    result = grade_photo("a", truth, entry(measured_disc(margin_mm, 0.3)))
    assert result.margin_z2 == pytest.approx((z2,), rel=1e-2)


def test_a_disc_outside_a_line_has_a_negative_margin() -> None:
    truth = parse_truth(with_sizes(rendered(true_disc("white", 100.0, 0.0, 10))))
    assert truth.discs[0].line_margins_mm == pytest.approx((-13.4, 88.2, 189.8))


def test_margins_follow_the_scale_of_the_ten_line() -> None:
    small = with_sizes(rendered(true_disc("white", 50.0, 0.0, 10), line_10=101.6))
    assert parse_truth(small).discs[0].line_margins_mm == pytest.approx((-28.4, 73.2, 174.8))


@pytest.mark.parametrize("state", ["leaning", "in_hole", "overhanging"])
def test_margins_of_discs_that_do_not_lie_flat_are_not_held_against_sigmas(state: str) -> None:
    truth = parse_truth(with_sizes(rendered(true_disc("white", 60.0, 10.0, 15))))
    assert grade_photo("a", truth, entry(measured_disc(9.0, 0.3, state))).margin_z2 == ()


def test_one_wild_margin_counts_as_three_sigmas() -> None:
    truth = parse_truth(with_sizes(rendered(true_disc("white", 60.0, 10.0, 15))))
    wild, right = (
        grade_photo("a", truth, entry(measured_disc(TRUE_MARGIN_MM + error, 0.3)))
        for error in (20.0, 0.3)
    )
    assert summarise([wild, right]).margin_z2 == pytest.approx((9 + 1) / 2, rel=1e-2)


def test_a_summary_adds_pictures_up() -> None:
    grades = [
        grade_photo("a", parse_truth(ROUND), entry(*SAID, needs_review=True)),
        grade_photo("b", parse_truth(ROUND), entry(*SAID[:2])),
    ]
    total = summarise(grades)
    assert (total.images, total.boards_found, total.exact_totals) == (2, 2, 1)
    assert (total.discs, total.missed, total.silently_wrong) == (6, 1, 1)
    assert total.close_share == pytest.approx(1 / 5)
    assert total.safe_zone_share == 1.0
    assert total.foot_median_mm == pytest.approx(0.2)


def test_a_summary_of_nothing_has_no_shares() -> None:
    total = summarise([])
    assert (total.images, total.close_share, total.foot_median_mm) == (0, None, None)
    assert total.margin_z2 is None


def test_pictures_are_found_by_their_truth_files(tmp_path: Path) -> None:
    (tmp_path / "b.png").touch()
    (tmp_path / "b.json").write_text(json.dumps(LABELLED), encoding="utf-8")
    (tmp_path / "a.jpg").touch()
    (tmp_path / "a.json").write_text(json.dumps(ROUND), encoding="utf-8")
    (tmp_path / "alone.jpg").touch()
    (tmp_path / "orphan.json").write_text("{}", encoding="utf-8")
    found = load_pictures_with_truth(tmp_path)
    assert [(path.name, truth.is_metric) for path, truth in found] == [
        ("a.jpg", True),
        ("b.png", False),
    ]
