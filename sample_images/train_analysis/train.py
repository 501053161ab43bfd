"""Train the value network: three generations of self-play, played by the network of the generation
before.

``python -m sample_images.train_analysis.train OUT`` writes positions and weights into a folder, and
prints the calibration of the last weights on unseen rounds. The seeds are fixed.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from sample_images.train_analysis.evaluate import report_calibration
from sample_images.train_analysis.fit_value import fit, load, write_network
from sample_images.train_analysis.self_play import play, save
from scorer.analysis.value import read_network

#: Rounds, and passes of the fit, of every generation; the last fit also uses the rounds of the
#: generation before.
GENERATIONS = ((1500, 12), (3000, 14), (6000, 14))
_FRESH_ROUNDS, _FRESH_SEED, _HIDDEN = 1500, 77, 48


def main() -> None:
    """Play, fit and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--version", default="3")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    value, played = None, list[Path]()
    for number, (rounds, passes) in enumerate(GENERATIONS):
        played.append(options.out / f"rounds{number}.npz")
        save(play(rounds, number + 1, value), played[-1])
        used = played[-2:] if number == len(GENERATIONS) - 1 else played[-1:]
        weights = options.out / f"value{number}.npz"
        write_network(fit(load(used), _HIDDEN, passes, 1, options.version), weights)
        value = read_network(weights).gain
    shutil.copy(weights, options.out / "value.npz")
    report_calibration(read_network(weights), play(_FRESH_ROUNDS, _FRESH_SEED, value))


if __name__ == "__main__":
    main()
