"""The sample pictures and their truth agree with each other, and with the rules."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from paths import STILLS

PICTURES = sorted(STILLS.glob("*.jpg"))
MOST_BYTES = 300_000
#: The truth rounds pixels to a thousandth.
ROUNDED_PX = 0.002
#: Levels, summed over the colours, by which a line must differ from the wood beside it.
LEAST_CONTRAST = 12.0
TRUTH_KEYS = {"seed", "width", "height", "K", "dist", "board", "colours", "discs", "totals"}
POSE_KEYS = {"R", "t", "tilt_deg", "disc", "ditch", "table"}


@cache
def truth_of(picture: Path) -> dict[str, Any]:
    return json.loads(picture.with_suffix(".json").read_text())


def boards() -> list[Path]:
    return [p for p in PICTURES if truth_of(p)["board"]]


def zone_by_rule(truth: dict[str, Any], disc: dict[str, Any]) -> int:
    """The bottom-edge line-touch rule, from x and y alone."""
    if disc["state"] == "in_hole":
        return 20
    if disc["state"] == "leaning":
        return 15
    reach = math.hypot(disc["x"], disc["y"]) + truth["disc"]["bottom_radius"]
    edges = [r - truth["board"]["line_width"] / 2 for r in truth["board"]["line_radii"]]
    return next((v for v, e in zip((15, 10, 5), edges, strict=True) if reach < e), 0)


def project(truth: dict[str, Any], points_mm: np.ndarray) -> np.ndarray:
    """Pixels (n, 2) of board points (n, 3), by OpenCV."""
    turn, _ = cv2.Rodrigues(np.array(truth["R"]))
    where = np.array(truth["t"])
    px, _ = cv2.projectPoints(points_mm, turn, where, np.array(truth["K"]), np.array(truth["dist"]))
    return px.reshape(-1, 2)


def circle(radius_mm: float, count: int = 720) -> np.ndarray:
    a = np.arange(count) * (2 * np.pi / count)
    return np.stack([radius_mm * np.cos(a), radius_mm * np.sin(a), np.zeros(count)], axis=1)


def by_name(path: Path) -> str:
    return path.stem


def test_samples_are_there_and_each_has_its_truth() -> None:
    assert len(PICTURES) >= 12
    assert {p.stem for p in PICTURES} == {p.stem for p in STILLS.glob("*.json")}


def test_samples_show_every_state_and_at_least_two_tables_without_a_board() -> None:
    states = {d["state"] for p in PICTURES for d in truth_of(p)["discs"]}
    assert {"flat", "in_hole", "leaning"} <= states
    assert sum(truth_of(p)["board"] is None for p in PICTURES) >= 2
    assert any(not truth_of(p)["discs"] for p in boards())
    assert any(len(truth_of(p)["discs"]) >= 20 for p in boards())


def test_near_line_sample_has_close_discs_on_both_sides_of_lines() -> None:
    truth = truth_of(STILLS / "near_lines_on_both_sides.jpg")
    edges = np.array(truth["board"]["line_radii"]) - truth["board"]["line_width"] / 2
    flat = [d for d in truth["discs"] if d["state"] == "flat"]
    reach = [math.hypot(d["x"], d["y"]) + truth["disc"]["bottom_radius"] for d in flat]
    margins = [min(edges - r, key=abs) for r in reach]
    assert sum(0 < m < 3 for m in margins) >= 3
    assert sum(-3 < m < 0 for m in margins) >= 3


@pytest.mark.parametrize("picture", PICTURES, ids=by_name)
def test_picture_is_small_and_of_the_size_that_its_truth_says(picture: Path) -> None:
    assert picture.stat().st_size <= MOST_BYTES
    truth = truth_of(picture)
    image = cv2.imread(str(picture))
    assert image.shape == (truth["height"], truth["width"], 3)


@pytest.mark.parametrize("picture", PICTURES, ids=by_name)
def test_truth_has_its_keys_and_totals_add_up_by_the_rule(picture: Path) -> None:
    truth = truth_of(picture)
    assert truth.keys() >= TRUTH_KEYS
    assert truth["board"] is None or truth.keys() >= POSE_KEYS
    totals = dict.fromkeys(truth["colours"], 0)
    for disc in truth["discs"]:
        assert disc["value"] == zone_by_rule(truth, disc)
        totals[disc["colour"]] += disc["value"]
    assert totals == truth["totals"]


@pytest.mark.parametrize("picture", boards(), ids=by_name)
def test_every_disc_projects_to_where_truth_says_inside_the_picture(picture: Path) -> None:
    truth = truth_of(picture)
    size = truth["width"], truth["height"]
    for disc in truth["discs"]:
        assert (np.array(disc["px_top"]) >= 0).all()
        assert (np.array(disc["px_top"]) < size).all()
        if disc["state"] != "leaning":  # a leaner's height is not in the truth
            z = -truth["board"]["hole_depth"] if disc["state"] == "in_hole" else 0.0
            base = np.array([disc["x"], disc["y"], z])
            top = base + np.array([0.0, 0.0, truth["disc"]["height"]])
            expected = np.array([disc["px_bottom"], disc["px_top"]])
            assert np.abs(project(truth, np.stack([base, top])) - expected).max() < ROUNDED_PX


@pytest.mark.parametrize("picture", boards(), ids=by_name)
def test_flat_discs_overlap_neither_each_other_nor_the_posts(picture: Path) -> None:
    truth = truth_of(picture)
    board, radius = truth["board"], truth["disc"]["radius"]
    at = np.array([(d["x"], d["y"]) for d in truth["discs"] if d["state"] == "flat"]).reshape(-1, 2)
    azimuth = np.radians(22.5 + 360.0 / board["posts"] * np.arange(board["posts"]))
    posts = board["post_ring_radius"] * np.stack([np.cos(azimuth), np.sin(azimuth)], axis=1)
    between = np.linalg.norm(at[:, None] - at[None], axis=2) + 1e9 * np.eye(len(at))
    assert (between >= 2 * radius).all()
    assert (
        np.linalg.norm(at[:, None] - posts[None], axis=2) >= radius + board["post_radius"]
    ).all()


@pytest.mark.parametrize("picture", boards(), ids=by_name)
def test_ten_line_of_truth_lies_on_a_line_of_the_picture(picture: Path) -> None:
    truth = truth_of(picture)
    image = cv2.imread(str(picture)).astype(np.float32)
    steps = np.linspace(-8.0, 8.0, 65)  # mm across the line
    rays = circle(1.0)[:, None] * (truth["board"]["line_radii"][1] + steps)[None, :, None]
    px = project(truth, rays.reshape(-1, 3)).reshape(*rays.shape[:2], 2).astype(np.float32)
    x, y = np.ascontiguousarray(px[..., 0]), np.ascontiguousarray(px[..., 1])
    seen = cv2.remap(image, x, y, cv2.INTER_LINEAR)
    inside = ((px >= 0) & (px < (truth["width"], truth["height"]))).all(axis=(1, 2))
    # Less each ray's own background, then the median over the ring: light varies across the
    # board, and discs, glare and digits hide only a part of the line.
    profile = np.median(seen[inside] - np.median(seen[inside], axis=1, keepdims=True), axis=0)
    contrast = np.maximum(np.abs(profile).sum(axis=1) - LEAST_CONTRAST / 3, 0)
    assert contrast.max() > LEAST_CONTRAST
    centre = (contrast**2 @ steps) / np.sum(contrast**2)
    assert abs(centre) < 0.35  # mm, a third of the thinnest line's width
