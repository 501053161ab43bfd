"""A match of simulated rounds, logged like a camera's match, with the positions of all discs."""

from __future__ import annotations

import numpy as np

from sample_images.train_analysis.self_play import TABLE, Rounds
from scorer.analysis.positions import board_points, turn_places
from scorer.analysis.value import value_network
from scorer.match.events import DiscInZone, Event, MatchStarted, RoundScored, ShotPlayed
from scorer.match.seen_shot import SeenShot
from scorer.physics.skills import SKILLS, SkillName
from scorer.rules.choices import Format
from scorer.rules.sets import rule_set

#: Accuracy of a camera's positions, mm.
SIGMA_MM = 0.5


def simulate_match(rounds: int, *, seed: int = 1, discs: int = 4) -> list[Event]:
    """The log of a number of rounds between Ann and Bob, two strong players."""
    rng = np.random.default_rng(seed)
    rules = rule_set("nca", {"discs_singles": discs})
    hand = SKILLS[SkillName.STRONG]
    log: list[Event] = [
        MatchStarted(
            rules="nca",
            format=Format.TWO,
            players=("Ann", "Bob"),
            options=(("discs_singles", discs),),
            colours=("black", "white"),
        )
    ]
    for number in range(rounds):
        skills = np.tile([[hand.aim_mrad, hand.speed_ratio]], (1, 2, 1))
        played = Rounds.begin(rules, discs, np.pi, skills)
        names: list[str] = []
        while not played.is_over:
            log.append(_play_shot(played, names, rng, starter=number % 2))
        log.append(RoundScored())
    return log


def _play_shot(
    played: Rounds, names: list[str], rng: np.random.Generator, starter: int
) -> ShotPlayed:
    """One shot; updates ``names``, the names of the discs on the board, in order."""
    names[:] = [f"d{played.shot}", *names]
    mover, before = (played.mover + starter) % 2, played.twenties.copy()
    played.play_shot(played.positions(), value_network().gain, rng)
    made = int((played.twenties - before).sum())
    # The next shooter sits at the bottom; for the log, Ann does.
    next_is_ann = (mover + 1) % 2 == 0
    places = played.places[0]
    points = board_points(TABLE, places)
    at_home = places if next_is_ann else turn_places(places, np.pi)
    lying = [k for k in range(len(names)) if np.abs(places[k]).max() < 1e3]
    kept = [names[k] for k in lying]
    names[:] = kept
    return ShotPlayed(
        player=mover,
        verdict="legal",
        board=tuple(
            DiscInZone(
                id=name,
                side=(int(played.side[0, k]) + starter) % 2,
                zone=int(points[k]),
                place_mm=(round(float(at_home[k, 0]), 1), round(float(at_home[k, 1]), 1)),
                sigma_mm=SIGMA_MM,
            )
            for k, name in zip(lying, kept, strict=True)
        ),
        twenties=(made, 0) if mover == 0 else (0, made),
        seen=SeenShot(start_mm=(0.0, -304.8) if mover == 0 else (0.0, 304.8)),
    )
