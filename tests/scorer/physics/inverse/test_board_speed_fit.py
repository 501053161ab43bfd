"""A board's friction and bounce, recovered from shots that were simulated with known values."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from paths import SCHEMAS

from bench.physics import random_board
from calibration.board import BoardSpec
from calibration.board_speed import BoardSpeed
from calibration.profile import CalibrationProfile, load_profile, save_profile
from scorer.physics import kernels
from scorer.physics.engine import parameter_vector, simulate_many, simulate_tracked
from scorer.physics.inverse.board_speed_fit import KnownFlick, SpeedFit, SpeedFitShot, fit_speed
from scorer.physics.inverse.observations import BoardPair, Spreads, TrackPoints, derive_spreads
from scorer.physics.parameters import PhysicsSpec, apply_board_speed
from scorer.physics.scene import TableSpec
from webapp.cli.main import main

TRUE = PhysicsSpec(friction=0.125, restitution=0.79, post_restitution=0.68)
SHOTS, DISCS, TRACK_NOISE_MM, NOISE_MM = 14, 4, 1.5, 0.7


def made_shot(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A board and a flick at one of its discs, at a speed that usually keeps discs on the board."""
    rng = np.random.default_rng([3, seed])
    places = random_board(rng, TableSpec(), DISCS)
    away = places[1] - places[0]
    direction = math.atan2(away[1], away[0]) + rng.normal(0, 0.05)
    return places, np.array([*places[0], rng.uniform(700, 2000), direction, rng.normal(0, 5)])


def seen_pair(seed: int, *, with_track: bool, physics: PhysicsSpec = TRUE) -> BoardPair:
    """The shot on the true board as a camera of 30 pictures a second sees it."""
    table, rng = TableSpec(physics=physics), np.random.default_rng([4, seed])
    places, shot = made_shot(seed)
    result = simulate_many(table, places, shot[None])
    noise = rng.normal(0, NOISE_MM, (2, *places.shape))
    return BoardPair(
        before_mm=places + noise[0],
        after_mm=result.places_mm[0] + noise[1],
        states=result.states[0],
        opponents=np.zeros(DISCS, dtype=np.bool_),
        track=seen_track(table, places, shot, rng) if with_track else None,
    )


def seen_track(
    table: TableSpec, places: np.ndarray, shot: np.ndarray, rng: np.random.Generator
) -> TrackPoints:
    """All discs on the surface while they move by at least 2 mm per frame."""
    moments = np.arange(0.05, 3, 1 / 30)
    discs = np.repeat(np.arange(DISCS), len(moments))
    times = np.tile(moments, DISCS)
    p = parameter_vector(table)[None]
    _, seen = simulate_tracked(
        table, places[None], shot[None], parameters=p, discs=discs, times_s=times[None]
    )
    steps = np.diff(seen[0].reshape(DISCS, -1, 2), axis=1, prepend=places[:, None])
    moving = np.hypot(steps[..., 0], steps[..., 1]).ravel() > 2.0
    from_hole = np.hypot(*seen[0].T)
    moving &= (from_hole < 325) & (from_hole > 5)
    return TrackPoints(
        discs=discs[moving],
        times_s=times[moving] + 7.0,
        places_mm=seen[0][moving] + rng.normal(0, TRACK_NOISE_MM, (int(moving.sum()), 2)),
        sigmas_mm=np.full(int(moving.sum()), TRACK_NOISE_MM),
    )


def pulls(speed: BoardSpeed) -> np.ndarray:
    """The errors of the numbers in their sigmas."""
    found = np.array([speed.friction, speed.restitution, speed.post_restitution])
    true = np.array([TRUE.friction, TRUE.restitution, TRUE.post_restitution])
    return np.asarray((found - true) / speed.sigmas)


@pytest.fixture(scope="module")
def tracked_shots() -> list[SpeedFitShot]:
    return [SpeedFitShot(pair=seen_pair(seed, with_track=True)) for seed in range(SHOTS)]


@pytest.fixture(scope="module")
def odd_shot(tracked_shots: list[SpeedFitShot]) -> SpeedFitShot:
    """A shot after which a hand changed the discs' places."""
    pair = tracked_shots[0].pair
    states = np.full(DISCS, kernels.FLAT, dtype=np.int8)
    swapped = replace(pair, after_mm=pair.before_mm[::-1].copy(), states=states)
    return SpeedFitShot(pair=swapped)


@pytest.fixture(scope="module")
def tracked_fit(tracked_shots: list[SpeedFitShot], odd_shot: SpeedFitShot) -> SpeedFit:
    return fit_speed(TableSpec(), [*tracked_shots[1:], odd_shot])


def test_tracks_give_a_boards_speed_within_its_stated_uncertainty(tracked_fit: SpeedFit) -> None:
    # Three numbers within three sigmas: true for 99% of fits with honest sigmas.
    assert np.abs(pulls(tracked_fit.speed)).max() < 3.0
    friction, restitution, post = tracked_fit.speed.sigmas
    assert friction < 0.003
    assert restitution < 0.02
    assert post < 0.04
    assert len(tracked_fit.used) >= SHOTS - 4


def test_a_restitution_that_is_the_same_at_every_speed_is_found_to_be_constant(
    tracked_fit: SpeedFit,
) -> None:
    assert not tracked_fit.loss.is_found
    assert abs(tracked_fit.loss.value_s_m) < 3 * tracked_fit.loss.sigma_s_m
    assert tracked_fit.loss.sigma_s_m < 0.05
    assert tracked_fit.speed.restitution_loss_s_m == 0


def test_a_restitution_that_falls_with_speed_is_found_with_its_loss() -> None:
    """Slow discs stop dead, 1.00 - 0.00; at 1 m/s it is 0.85, and at 2 m/s 0.70."""
    falling = replace(TRUE, restitution=1.0, restitution_loss_s_m=0.15)
    shots = [
        SpeedFitShot(pair=seen_pair(seed, with_track=True, physics=falling)) for seed in range(7)
    ]
    fit = fit_speed(TableSpec(), shots)
    assert fit.loss.is_found
    assert fit.loss.value_s_m == pytest.approx(0.15, abs=3 * fit.loss.sigma_s_m)
    assert fit.loss.sigma_s_m < 0.04
    assert fit.speed.restitution == pytest.approx(0.85, abs=3 * fit.speed.restitution_sigma)
    physics = apply_board_speed(PhysicsSpec(), fit.speed)
    assert physics.restitution_loss_s_m == fit.speed.restitution_loss_s_m > 0


def test_a_boards_speed_with_a_loss_is_kept_in_its_profile_and_read_from_older_ones(
    tmp_path: Path,
) -> None:
    speed = BoardSpeed(
        friction=0.1,
        friction_sigma=0.001,
        restitution=0.85,
        restitution_sigma=0.01,
        post_restitution=0.7,
        post_restitution_sigma=0.02,
        restitution_loss_s_m=0.1,
        restitution_loss_sigma_s_m=0.02,
    )
    profile, path = CalibrationProfile(board=BoardSpec(), speed=speed), tmp_path / "p.json"
    save_profile(profile, path)
    assert load_profile(path).speed == speed
    physics = apply_board_speed(PhysicsSpec(), speed)
    at_usual = kernels.restitution_at_speed(
        1000.0, physics.restitution, physics.restitution_loss_s_m
    )
    assert at_usual == pytest.approx(speed.restitution)
    save_profile(replace(profile, speed=replace(speed, restitution_loss_s_m=0.0)), path)
    assert "restitution_loss" not in path.read_text(encoding="utf-8")
    read = load_profile(path).speed
    assert read is not None
    assert read.restitution_loss_s_m == 0


def test_known_flicks_give_a_boards_speed_without_tracks() -> None:
    rng, shots = np.random.default_rng(0), []
    for seed in range(24):
        _, shot = made_shot(seed)
        flick = KnownFlick(
            speed_mm_s=shot[2] * (1 + rng.normal(0, 0.005)),
            direction_rad=shot[3] + rng.normal(0, 0.002),
            speed_sigma_mm_s=0.005 * shot[2],
            direction_sigma_rad=0.002,
        )
        shots.append(SpeedFitShot(pair=seen_pair(seed, with_track=False), flick=flick))
    fit = fit_speed(TableSpec(), shots)
    assert np.abs(pulls(fit.speed)).max() < 3.0
    assert fit.speed.friction_sigma < 0.005


def test_a_shot_of_another_kind_is_left_out(tracked_fit: SpeedFit) -> None:
    assert SHOTS - 1 in tracked_fit.left_out


def test_a_fitted_board_is_less_uncertain_than_an_unknown_one(tracked_fit: SpeedFit) -> None:
    spreads, unknown = derive_spreads(tracked_fit.speed), Spreads()
    assert spreads.friction < unknown.friction
    assert spreads.post_restitution < unknown.post_restitution


# The command


def as_json(shots: list[SpeedFitShot]) -> dict[str, Any]:
    """Shots as their file."""
    names = {kernels.FLAT: "flat", kernels.IN_HOLE: "in_hole", kernels.DITCH: "ditch"}
    shot_files = []
    for shot in shots:
        pair, track = shot.pair, shot.pair.track
        assert track is not None
        rows = zip(track.discs, track.times_s, track.places_mm, strict=True)
        shot_files.append(
            {
                "shooter_id": 0,
                "before": [
                    {"id": k, "x_mm": x, "y_mm": y} for k, (x, y) in enumerate(pair.before_mm)
                ],
                "after": [
                    {"id": k, "x_mm": x, "y_mm": y, "state": names[int(state)]}
                    for k, ((x, y), state) in enumerate(
                        zip(pair.after_mm, pair.states, strict=True)
                    )
                ],
                "track": [
                    {"id": int(k), "t_s": t, "x_mm": x, "y_mm": y, "sigma_mm": TRACK_NOISE_MM}
                    for k, t, (x, y) in rows
                ],
            }
        )
    return {"shots": shot_files}


def schema(name: str) -> Any:
    path = SCHEMAS / f"{name}.schema.json"
    return json.loads(path.read_text(encoding="utf-8"))


def written(folder: Path, content: Any, name: str = "shots.json") -> str:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


def test_speed_writes_a_profile_that_the_physics_then_use(
    tracked_shots: list[SpeedFitShot], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = as_json(tracked_shots[:4])
    jsonschema.validate(content, schema("shots"))
    profile = tmp_path / "home.json"
    assert main(["speed", written(tmp_path, content), "--json", "--out", str(profile)]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, schema("speed"))
    prediction = found["prediction"]
    assert prediction["median_error_mm"] < prediction["median_error_before_mm"]
    assert set(found["restitution_loss"]) == {"value", "sigma", "is_found"}
    speed = load_profile(profile).speed
    assert speed is not None
    assert speed.friction == pytest.approx(found["friction"], abs=1e-5)
    np.testing.assert_allclose(speed.covariance, found["covariance"], rtol=1e-9)
    # A disc alone stops after v^2 / (2 mu g).
    shot = {"id": "s", "x_mm": 0, "y_mm": -300, "speed_mm_s": 500, "direction_deg": 0}
    scene = written(tmp_path, {"shot": shot}, "scene.json")
    assert main(["simulate", scene, "--json", "--profile", str(profile)]) == 0
    end = json.loads(capsys.readouterr().out)["discs"][0]["x_mm"]
    assert end == pytest.approx(500**2 / (2 * speed.friction * 9810), abs=1e-3)


def test_a_profile_that_cannot_be_read_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = str(tmp_path / "none.json")
    for command in (["simulate", "x.json"], ["explain", "x.json"], ["speed", "x.json"]):
        assert main([*command, "--profile", missing]) == 1
        assert "none.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"shots": 3}, ["shots", "3"]),
        ({"shots": []}, ["shots: must have at least 4 entries, not 0"]),
        ({"speed": 3}, ["speed", "unknown"]),
        ({"shots": [{}] * 4}, ["shots[0]", "before"]),
        ({"shots": [3] * 4}, ["shots[0]", "3"]),
    ],
)
def test_wrong_shots_are_one_sentence(
    change: dict[str, Any], words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["speed", written(tmp_path, change), "--json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    for word in words:
        assert word in err


@pytest.mark.parametrize(
    ("flick", "words"),
    [
        (None, "track or a known flick"),
        (3, "flick"),
        ({"speed_mm_s": 0, "direction_deg": 0}, "speed_mm_s: must be above 0, not 0"),
        ({"speed_mm_s": 9}, "direction_deg: is missing"),
        ({"speed_mm_s": 9, "direction_deg": 0, "speed_sigma_mm_s": -1}, "not -1"),
    ],
)
def test_a_wrong_flick_is_one_sentence(
    flick: Any, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    disc = {"id": "s", "x_mm": 0, "y_mm": -300}
    shot = {"shooter_id": "s", "before": [disc], "after": [disc], "flick": flick}
    assert main(["speed", written(tmp_path, {"shots": [shot] * 4})]) == 1
    err = capsys.readouterr().err
    assert "shots[0]" in err
    assert words in err
