"""Self-play of rounds, and the fit to its positions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sample_images.train_analysis import self_play
from sample_images.train_analysis.evaluate import find_calibration_error
from sample_images.train_analysis.fit_value import fit, load, write_network
from sample_images.train_analysis.self_play import TABLE, Rounds, play, save
from scorer.analysis.best_shots import RoundToPlay, ShootingLine, ShotSearch
from scorer.analysis.judge_many import BoardToShoot
from scorer.analysis.positions import FEATURE_COUNT, features
from scorer.analysis.value import GAINS, read_network, value_network
from scorer.physics.skills import Skill
from scorer.rules.names import RuleSetName
from scorer.rules.sets import RULE_SETS

NCA = RULE_SETS[RuleSetName.NCA]


def test_rounds_played_in_lockstep_keep_every_disc_and_point() -> None:
    rng = np.random.default_rng(3)
    rounds = Rounds.begin(NCA, 3, np.pi, np.tile([[7.0, 0.117]], (40, 2, 1)))
    while not rounds.is_over:
        at = rounds.positions()
        # the second side has as many discs left as at the beginning
        own_left = 3 - rounds.shot // 2
        assert (at.left == [own_left, 6 - rounds.shot - own_left]).all()
        rounds.play_shot(at, value_network().gain, rng)
        is_there = np.abs(rounds.places).max(axis=-1) < 1e3
        assert (is_there.sum(axis=1) + rounds.twenties.sum(axis=1) <= rounds.shot).all()
    assert rounds.twenties.sum() > 10
    assert (np.abs(rounds.lead()) <= 3 * 20).all()
    assert (rounds.lead() % 5 == 0).all()
    assert TABLE.board.post_count == 8


@pytest.mark.parametrize("shots", [0, 1, 2, 5])
def test_advice_values_a_shot_as_self_play_does(
    shots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both sides in turn: the board after a flick is the same position for both programs."""
    rng, value = np.random.default_rng(8), value_network()
    rounds = Rounds.begin(NCA, 4, np.pi, np.tile([[9.0, 0.133]], (1, 2, 1)))
    for _ in range(shots):
        rounds.play_shot(rounds.positions(), value.gain, rng)
    at, sign = rounds.positions(), 1 if rounds.mover == 0 else -1
    is_there = np.hypot(*at.places_mm[0].T) < TABLE.board.surface_radius_mm
    skill = Skill(aim_mrad=9.0, speed_ratio=0.133)
    flick = np.array([0.0, -304.8, 900.0, np.pi / 2, 0.0])
    own = np.concatenate([[True], at.own[0][is_there]])
    places = np.concatenate([flick[None, :2], at.places_mm[0][is_there]])
    board = BoardToShoot(table=TABLE, places_mm=places, own=own)
    search = ShotSearch(
        board=board,
        rules=NCA,
        skill=skill,
        line=ShootingLine(board=board, ends_rad=(0.0, 0.0), fixed_mm=flick[:2]),
        is_misplaced=False,
        ahead=RoundToPlay(left=(4 - shots // 2, 4 - (shots + 1) // 2)),
        quadrant=3,
    )
    advised = search.find_leads(search._judge(flick[None]))[0]
    scored = sign * rounds.score[0]
    monkeypatch.setattr(self_play, "scatter", lambda flicks, *_: flicks)
    monkeypatch.setattr(self_play, "_CAPTURE_SPREAD", 0.0)
    rounds.play_shot(at, value.gain, rng, flick[None])
    gain = value.gain(features(TABLE, NCA.options, rounds.positions()))[0]
    assert advised == pytest.approx(sign * rounds.lead()[0] - scored - gain, abs=1e-6)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """200 rounds of 8 discs a side; with 12, as most rule sets have, they take twice as long."""
    path = tmp_path_factory.mktemp("rounds") / "rounds.npz"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(self_play, "RULE_SETS", {RuleSetName.NCA: NCA})
        save(play(200, 1, value_network().gain), path)
    return path


def test_a_fit_learns_and_its_weights_come_back_from_their_file(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played = load([stored])
    assert played.features.shape[1] == FEATURE_COUNT
    network = fit(played, 8, 3, 1, "try")
    losses = [float(line.split()[-1]) for line in capsys.readouterr().out.splitlines()[-3:]]
    assert losses[2] < losses[0]
    path = tmp_path / "value.npz"
    write_network(network, path)
    back = read_network(path)
    assert back.version == "try"
    np.testing.assert_allclose(back.gain(played.features), network.gain(played.features), atol=1e-3)


def test_the_shipped_weights_are_calibrated_on_rounds_they_never_saw(stored: Path) -> None:
    """200 rounds bound the error by 0.06; docs/how/analysis.md has that of 3,000."""
    played = load([stored])
    chance = value_network().chances(played.features)[:, GAINS > 0].sum(axis=1)
    assert find_calibration_error(chance, played.gain > 0) < 0.06


def test_a_calibration_error_is_the_gap_between_said_and_seen() -> None:
    said = np.array([0.95] * 10 + [0.15] * 10)
    came = np.array([True] * 9 + [False] + [True] + [False] * 9)
    assert find_calibration_error(said, came) == pytest.approx(0.05)
