"""Self-play of rounds, and the fit to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sample_images.train_analysis.evaluate import find_calibration_error
from sample_images.train_analysis.fit_value import fit, load
from sample_images.train_analysis.self_play import TABLE, Rounds, play, save
from scorer.analysis.positions import FEATURE_COUNT
from scorer.analysis.value import GAINS, read_network, value_network, write_network
from scorer.rules.names import RuleSetName
from scorer.rules.sets import RULE_SETS

NCA = RULE_SETS[RuleSetName.NCA]


def test_rounds_played_in_lockstep_keep_every_disc_and_point() -> None:
    rng = np.random.default_rng(3)
    rounds = Rounds.begin(NCA, 3, np.pi, np.tile([[7.0, 0.117]], (40, 2, 1)))
    while not rounds.is_over:
        at = rounds.positions()
        assert at.left.sum(axis=1).tolist() == [6 - rounds.shot] * 40
        rounds.play_shot(at, value_network().gain, rng)
        is_there = np.abs(rounds.places).max(axis=-1) < 1e3
        assert (is_there.sum(axis=1) + rounds.twenties.sum(axis=1) <= rounds.shot).all()
    assert rounds.twenties.sum() > 10
    assert (np.abs(rounds.lead()) <= 3 * 20).all()
    assert (rounds.lead() % 5 == 0).all()
    assert TABLE.board.post_count == 8


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rounds") / "rounds.npz"
    save(play(200, 4, value_network().gain), path)
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
