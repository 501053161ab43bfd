"""The detector's training: its drawings match the reader's crops, and it trains and exports."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from sample_images.train_detector import crops
from sample_images.train_detector.hole_drawer import HoleDrawer, choose_camera
from sample_images.train_detector.scenes import (
    FLAT_SLOTS,
    HOLE_DISC,
    HOLE_EMPTY,
    HOLE_OTHER,
    HOLE_SLOT,
    draw_scenes,
)
from sample_images.train_detector.textures import draw_textures
from vision.detector import board_crops

SHIPPED_HOLE = Path(board_crops.__file__).parent / "hole.onnx"


def test_training_and_reading_crop_boards_alike() -> None:
    names = [name for name in vars(crops) if name.isupper()]
    assert len(names) == 10
    for name in names:
        assert getattr(crops, name) == getattr(board_crops, name), name


def test_flat_discs_of_a_scene_overlap_neither_each_other_nor_the_hole() -> None:
    scenes = draw_scenes(np.random.default_rng(3), 40)
    for k in range(40):
        place = scenes["disc_mm"][k, :FLAT_SLOTS, :2]
        place = place[place[:, 0] < 8e4]
        gap = np.linalg.norm(place[:, None] - place[None], axis=-1) + 1e3 * np.eye(len(place))
        assert gap.min(initial=1e3) > 2 * scenes["disc_radius"][k]
        off_hole = np.linalg.norm(place - scenes["hole_centre"][k], axis=-1)
        assert off_hole.min(initial=1e3) > 0.5 * scenes["hole_radius"][k]


def test_a_disc_in_the_hole_lies_within_it() -> None:
    scenes = draw_scenes(np.random.default_rng(4), 60, about_hole=True)
    filled = scenes["disc_mm"][:, HOLE_SLOT, 0] < 8e4
    assert filled.sum() > 5
    off = np.linalg.norm(scenes["disc_mm"][:, HOLE_SLOT, :2] - scenes["hole_centre"], axis=-1)
    assert (off + scenes["disc_radius"] <= scenes["hole_radius"] + 1e-9)[filled].all()


def test_scenes_and_textures_are_the_same_for_the_same_seed() -> None:
    one, two = (draw_scenes(np.random.default_rng(5), 3) for _ in range(2))
    assert all(np.array_equal(one[name], two[name]) for name in one)
    first, second = (draw_textures(5, 2) for _ in range(2))
    assert np.array_equal(first.prints, second.prints)


def test_a_few_steps_train_and_export_networks_that_opencv_reads_alike(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    pytest.importorskip("onnx", reason="the extra `train` is not installed")
    from sample_images.train_detector import train, train_hole
    from sample_images.train_detector.export_onnx import export
    from sample_images.train_detector.network import BoardNetwork, HoleNetwork

    settings = {"seed": 1, "device": "cpu", "batch": 2, "processes": 0, "rate": 1e-3}
    train.train(tmp_path, 20.0, chunk=1, start=None, **settings)
    train_hole.train(tmp_path, 20.0, count=3, start=None, **settings)
    for network, name, side in (
        (BoardNetwork(), "board", crops.DISC_SIDE_PX),
        (HoleNetwork(), "hole", crops.HOLE_SIDE_PX),
    ):
        error = export(network, tmp_path / f"{name}.pt", side, tmp_path / f"{name}.onnx")
        assert error < 5e-3


def test_a_drawn_cameras_rays_meet_what_it_sees() -> None:
    for seed in range(5):
        camera, _ = choose_camera(np.random.default_rng(seed))
        ray = camera.rays(9, 7)[5, 3]
        for way in (200.0, 700.0):
            assert camera.project(camera.centre + way * ray) == pytest.approx([3, 5], abs=1e-3)


def test_drawn_holes_are_the_same_for_the_same_seed_and_of_every_state() -> None:
    one, two = (HoleDrawer(2, 2).draw(np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(one.planes, two.planes)
    assert one.planes.shape == (6, crops.HOLE_SIDE_PX, crops.HOLE_SIDE_PX)
    drawer, rng = HoleDrawer(2, 4), np.random.default_rng(8)
    states = {drawer.draw(rng).state for _ in range(60)}
    assert states >= {HOLE_EMPTY, HOLE_DISC, HOLE_OTHER}


def test_the_network_in_use_knows_most_drawn_holes() -> None:
    drawer, rng = HoleDrawer(5, 6), np.random.default_rng(9)
    net = cv2.dnn.readNetFromONNX(str(SHIPPED_HOLE))
    right = []
    while len(right) < 100:
        sample = drawer.draw(rng)
        if sample.weight == 0:
            continue
        net.setInput(sample.network_input())
        right.append(int(net.forward()[0].argmax()) == sample.state)
    assert np.mean(right) > 0.85
