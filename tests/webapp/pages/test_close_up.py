"""A page's statement of a disc's possible zones: its script, with discs from the live view."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from watch_events import PLACES_MM, RED, board_event, disc

import webapp
from calibration.json_text import to_plain
from calibration.placed_disc import DiscState
from scorer.referee.disc_identities import NamedDisc
from scorer.referee.events import from_json
from webapp.live.live_state import LiveState, apply_event

NODE = shutil.which("node")
SCRIPT = (Path(webapp.__file__).parent / "static" / "js" / "close_up.js").as_uri()

pytestmark = pytest.mark.skipif(NODE is None, reason="needs node, which runs the page's script")


def worth(*discs: dict[str, Any]) -> list[list[tuple[int, str]]]:
    """The possible zones that the page states for every disc, with their chances in words."""
    program = (
        # there is no page here
        "globalThis.document = { querySelector: () => null, documentElement: { dataset: {} } };"
        f"const {{ rankZones, formatChance }} = await import({json.dumps(SCRIPT)});"
        f"const told = {json.dumps(discs)}.map((disc) =>"
        "  rankZones(disc).map(([zone, chance]) => [zone, formatChance(chance)]));"
        "console.log(JSON.stringify(told));"
    )
    command = [str(NODE), "--input-type=module", "--no-warnings", "-e", program]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return [[(zone, words) for zone, words in load] for load in json.loads(run.stdout)]


def shown(lies: NamedDisc) -> dict[str, Any]:
    """A disc in the form that pages get."""
    (sent,) = to_plain(apply_event(LiveState(), from_json(board_event(lies))).discs)
    return dict(sent)


def test_a_sure_disc_is_sure_and_a_disc_near_a_line_has_two_chances() -> None:
    sure, near = worth(shown(disc("a", RED, PLACES_MM[15])), shown(disc("b", RED, (0.0, 85.0))))
    assert sure[0] == (15, ">99%")
    assert {zone for zone, words in near if words} == {15, 10}


def test_what_not_its_margin_leaves_in_doubt_has_no_chances() -> None:
    hardly_seen = shown(disc("a", RED, PLACES_MM[15], confidence=0.6))
    (told,) = worth(hardly_seen)
    assert told == [(15, ""), (10, ""), (5, ""), (0, "")]


def test_a_doubtful_twenty_may_be_a_fifteen() -> None:
    in_hole = DiscState.IN_HOLE
    sure = shown(disc("a", RED, (1.0, 0.0), in_hole))
    doubtful = shown(disc("b", RED, (1.0, 0.0), in_hole, confidence=0.6))
    assert worth(sure, doubtful) == [[(20, "")], [(20, ""), (15, "")]]


def test_a_zone_that_a_person_put_right_has_no_chance_by_what_was_read() -> None:
    read = shown(disc("a", RED, PLACES_MM[15]))
    (told,) = worth(read | {"zone": 10, "is_close": False, "is_by_hand": True})
    assert told[0] == (10, "")
    assert all(not words for _, words in told)
