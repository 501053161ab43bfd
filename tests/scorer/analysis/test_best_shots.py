"""The likely outcomes of a flick, and the best flicks."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import brute_force
import jsonschema
import numpy as np
import pytest
from paths import SCHEMAS

from scorer.analysis.best_shots import (
    PARAMS,
    Forecast,
    RoundToPlay,
    ShootingLine,
    ShotSearch,
    advise,
    may_place,
)
from scorer.analysis.judge_many import BoardToShoot
from scorer.physics.scene import TableSpec
from scorer.physics.skills import SKILLS, Skill, SkillName
from scorer.rules.names import RuleSetName
from scorer.rules.sets import RULE_SETS, RuleSet
from webapp.cli.main import main
from webapp.formats.advice import advice_json, advice_lines, advise_shots

NCA = RULE_SETS[RuleSetName.NCA]
START = np.array([0.0, -304.8])
BOARD = {
    "discs": [
        {"id": "a", "team": "red", "x_mm": 0, "y_mm": -60},
        {"id": "b", "team": "blue", "x_mm": 150, "y_mm": 50},
    ],
    "start": {"x_mm": 0.0, "y_mm": -304.8},
}


def schema(name: str) -> dict[str, object]:
    content: dict[str, object] = json.loads(
        (SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
    )
    return content


def forecast(
    table: TableSpec,
    places_mm: np.ndarray,
    own: np.ndarray,
    shot: np.ndarray,
    skill: Skill,
    rules: RuleSet,
) -> Forecast:
    """The likely outcomes of a flick of disc 0."""
    board = BoardToShoot(table=table, places_mm=places_mm, own=own)
    search = ShotSearch(
        board=board,
        rules=rules,
        skill=skill,
        line=ShootingLine(board=board, ends_rad=(0.0, 0.0), fixed_mm=shot[:2]),
        is_misplaced=not may_place(board, rules, shot[:2]),
        ahead=RoundToPlay(left=(1, 0)),
        quadrant=3,
    )
    return search.forecast(shot[None], PARAMS.repeats, seed=0)[0]


def straight(speed: float) -> np.ndarray:
    return np.array([*START, speed, math.pi / 2, 0.0])


def test_a_steady_hand_makes_the_twenty_that_a_shaky_one_misses() -> None:
    places, own = START[None], np.array([True])
    steady = forecast(
        TableSpec(), places, own, straight(950), Skill(aim_mrad=1, speed_ratio=0.01), NCA
    )
    shaky = forecast(TableSpec(), places, own, straight(950), Skill(aim_mrad=60), NCA)
    assert steady.twenty > 0.95
    assert shaky.twenty < steady.twenty - 0.3


@pytest.mark.parametrize(
    ("name", "published"), [("novice", 0.35), ("club", 0.55), ("strong", 0.65), ("champion", 0.756)]
)
def test_a_named_skill_makes_the_published_share_of_open_20s(name: str, published: float) -> None:
    places, own, skill = START[None], np.array([True]), SKILLS[SkillName(name)]
    made = max(
        forecast(TableSpec(), places, own, straight(speed), skill, NCA).twenty
        for speed in (860, 880, 900, 920)
    )
    assert made == pytest.approx(published, abs=0.06)  # two sigmas of 300 repeats


def test_a_shot_that_meets_no_opponent_is_a_foul() -> None:
    places, own = np.array([START, [250.0, 0.0]]), np.array([True, False])
    assert forecast(TableSpec(), places, own, straight(700), Skill(), NCA).foul == 1.0


def test_on_an_open_board_the_best_shot_goes_for_the_hole() -> None:
    empty, nobody = np.empty((0, 2)), np.zeros(0, dtype=bool)
    best = advise(TableSpec(), empty, nobody, NCA, Skill(aim_mrad=3), start_mm=START).shots[0]
    assert best.twenty > 0.5
    assert best.points > 15


def advised(folder: Path, board: object, *more: str, team: str = "blue") -> int:
    path = folder / "board.json"
    path.write_text(json.dumps(board), encoding="utf-8")
    return main(["advise", str(path), "--team", team, *more])


def test_what_advise_prints_is_simulated_as_it_is_told(tmp_path, capsys) -> None:
    plot, drawn = tmp_path / "best.png", tmp_path / "shot.png"
    assert advised(tmp_path, BOARD, "--json", "--plot", str(plot)) == 0
    text = capsys.readouterr().out
    shots = json.loads(text)
    jsonschema.validate(shots, schema("advise"))
    assert 1 <= len(shots) <= 3
    assert shots == sorted(shots, key=lambda shot: -shot["lead"])
    assert shots[0]["p_foul"] < 0.5
    advice = tmp_path / "advice.json"
    advice.write_text(text, encoding="utf-8")
    scene = shots[0]["scene"]
    jsonschema.validate(scene, schema("scene"))
    assert (scene["shot"]["x_mm"], scene["shot"]["y_mm"]) == tuple(START)
    assert main(["simulate", str(advice), "--json", "--plot", str(drawn)]) == 0
    met = {contact["b"] for contact in json.loads(capsys.readouterr().out)["contacts"]}
    assert shots[0]["target"] in met
    assert drawn.read_bytes() == plot.read_bytes()
    assert main(["simulate", str(advice), "--shot", "9"]) == 1
    assert f"--shot must be between 1 and {len(shots)}, not 9" in capsys.readouterr().err


def test_advice_says_where_to_place_the_disc_and_at_what_to_aim(tmp_path, capsys) -> None:
    assert advised(tmp_path, BOARD, team="red") == 0
    words = " ".join(capsys.readouterr().out.split())
    assert (
        "1. Place the disc at 6 o'clock, on the line in the middle of your quadrant: "
        "(0.0, -304.8) mm." in words
    )
    assert "Aim at b (blue)," in words
    assert re.search(r"\(\d\.\d cm (left|right) of its middle\)", words)
    assert re.search(r"Flick it [a-z ]+, at \d\.\d m/s", words)
    assert "right of the centre" in words
    assert advised(tmp_path, BOARD | {"start": {"x_mm": 60, "y_mm": -298}}, team="red") == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "60 mm right of your quadrant's middle: (60.0, -298.0) mm." in words


def test_a_team_that_nobody_has_is_refused_with_those_that_play(tmp_path, capsys) -> None:
    assert advised(tmp_path, BOARD, team="green") == 1
    told = capsys.readouterr().err
    assert "--team green has no discs on this board. Choose from blue, red." in told


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": 3}, "start"),
        ({"start": {"x_mm": 0, "y_mm": 900}}, "900"),
        ({"discs": [{"id": "a", "x_mm": 0, "y_mm": 90}]}, "team"),
        ({"colour": 1}, "colour"),
    ],
)
def test_a_wrong_board_is_one_sentence(change, words, tmp_path, capsys) -> None:
    assert advised(tmp_path, BOARD | change, team="red") == 1
    assert words in capsys.readouterr().err


# The rules in force


def test_a_disc_that_ends_far_out_on_an_open_board_is_a_foul_where_the_rules_ask_for_the_15() -> (
    None
):
    places, own = START[None], np.array([True])
    short = straight(400)
    found = {
        name: forecast(TableSpec(), places, own, short, Skill(speed_ratio=0.06), rules).foul
        for name, rules in RULE_SETS.items()
    }
    assert found == {"mayday": 1, "cogitate": 1, "traditional": 0, "family": 0, "nca": 1}


def test_an_own_twenty_that_a_foul_makes_does_not_count() -> None:
    # The own disc at the hole's edge is knocked in; the opponent's disc is never hit.
    places = np.array([START, [0.0, -24.0], [-200.0, 150.0]])
    own = np.array([True, True, False])
    knock = np.array([*START, 900.0, math.pi / 2, 0.0])
    alone = forecast(TableSpec(), places[:2], own[:2], knock, Skill(aim_mrad=2), NCA)
    assert alone.twenty > 0.5
    fouled = forecast(TableSpec(), places, own, knock, Skill(aim_mrad=2), NCA)
    assert fouled.is_foul
    assert (fouled.foul, fouled.twenty, fouled.stays) == (1.0, 0.0, 0.0)
    assert fouled.points < 0


#: From the middle a post and the own disc hide the opponent's.
HIDDEN = {
    "discs": [
        {"id": "m", "team": "red", "x_mm": 16.0, "y_mm": 2.0},
        {"id": "o", "team": "blue", "x_mm": -145.0, "y_mm": 145.0},
    ]
}


def test_a_disc_hidden_from_the_middle_is_shot_at_from_elsewhere_on_the_line() -> None:
    whole = advise_shots(HIDDEN, "red", Skill())
    best = whole.shots[0]
    assert whole.nothing_legal is None
    assert all(not shot.is_foul and shot.foul < 0.5 for shot in whole.shots)
    assert best.points > 20
    assert best.foul < 0.05
    assert abs(best.shot[0]) > 50


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=list(RULE_SETS))
@pytest.mark.parametrize("quadrant", [0, 3])
def test_the_line_is_searched_as_far_as_the_rules_allow(rules: RuleSet, quadrant: int) -> None:
    board = BoardToShoot(table=TableSpec(), places_mm=np.zeros((1, 2)), own=np.array([True]))
    line = ShootingLine.find(board, rules, None, quadrant)
    assert line is not None
    reach = {"half-over": 0.0, "within": -15.35 + 0.8, "touching": 15.35 + 0.8}
    widest = 45 + math.degrees(math.asin(reach[str(rules.options.placement_quadrant)] / 304.8))
    ends = np.degrees(line.ends_rad) - 90 * quadrant
    np.testing.assert_allclose(ends, [-widest, widest], atol=0.3)
    rng = np.random.default_rng(0)
    for place in line.draw(rng, 50):
        assert may_place(board, rules, np.round(place, 2), quadrant)


WALLED_IN = {
    "discs": [
        *(
            {"id": f"w{k}", "team": "red", "x_mm": x, "y_mm": y}
            for k, (x, y) in enumerate([(-31.8, -304.0), (31.8, -304.0), (-16, -277), (16, -277)])
        ),
        {"id": "o", "team": "blue", "x_mm": 0.0, "y_mm": 250.0},
    ],
    "start": {"x_mm": 0.0, "y_mm": -304.8},
}


def test_where_nothing_legal_is_there_advice_says_so() -> None:
    advice = advise_shots(WALLED_IN, "red", Skill(), rules=RULE_SETS[RuleSetName.TRADITIONAL])
    assert advice_lines(advice)[0] == "No legal shot was found. These fouls cost the least:"
    assert all(shot["is_foul"] for shot in advice_json(advice))


def test_a_place_that_the_rules_forbid_is_said_to_be_one(tmp_path, capsys) -> None:
    behind = BOARD | {"start": {"x_mm": 0, "y_mm": -324}}
    assert advised(tmp_path, behind, "--rules", "mayday", team="red") == 0
    assert "The rules do not allow a disc to be placed there" in capsys.readouterr().out
    assert advised(tmp_path, behind, "--json", team="red") == 0
    assert not any(shot["is_foul"] for shot in json.loads(capsys.readouterr().out))


def test_a_line_without_room_for_a_disc_is_said_to_be_taken(tmp_path, capsys) -> None:
    angles = [math.radians(-90 + 6.1 * k) for k in range(-8, 9)]
    full = [
        {"id": k, "team": "red", "x_mm": 304.8 * math.cos(a), "y_mm": 304.8 * math.sin(a)}
        for k, a in enumerate(angles)
    ]
    assert advised(tmp_path, {"discs": full}, team="blue") == 0
    assert capsys.readouterr().out == "There is no free place on the shooting line.\n"


def test_a_shooter_who_sits_elsewhere_shoots_from_there() -> None:
    advice = advise_shots({"discs": BOARD["discs"], "quadrant": 1}, "blue", Skill())
    assert all(shot.shot[1] > 200 for shot in advice.shots)


@pytest.mark.parametrize(
    ("kind", "rules"),
    list(zip(brute_force.KINDS, RULE_SETS.values(), strict=True)),
    ids=list(RULE_SETS),
)
def test_no_foul_is_advised_where_a_search_of_its_own_finds_a_legal_shot(
    kind: str, rules: RuleSet
) -> None:
    tally = brute_force.Tally()
    discs = brute_force.make_board(np.random.default_rng(8), kind)
    brute_force.check_board(discs, rules, tally, seed=8, tries=2000)
    assert tally.shots > 0
    assert tally.wrong == 0
