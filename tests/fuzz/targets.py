"""The inputs other than HTTP, and the properties that must hold for any of them.

A check raises ``AssertionError`` for an invalid result: an incomplete sentence, an undocumented
exit code, an uncaught error. The runner watches time and memory.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from json_referee import keep_json
from match_database import ROUND, SETUP
from mutations import mutated_bytes, mutated_json_text, odd_text
from PIL import Image
from read_log import match_from_csv, match_from_json

from calibration.board import BoardSpec
from calibration.disc import DiscSpec
from calibration.profile import CalibrationProfile, ProfileError, format_profile, parse_profile
from sample_images.renderer.picture_truth import parse_truth
from scorer.match.events import Disputed, MatchError
from scorer.match.exchange import match_as_csv, match_as_json
from scorer.match.fold import fold
from scorer.referee.watch import watch
from vision.io.frame import Frame, UnreadablePicture, decode_frame, decode_whole
from vision.io.sources import SourceError
from webapp.cli.main import main
from webapp.formats.form import InputFileError, name_file_in_errors, read_object
from webapp.formats.scenario import parse_scenario
from webapp.formats.scene import parse_scene
from webapp.formats.shot_boards import parse_pair
from webapp.formats.speed import parse_shots

CORPUS = Path(__file__).parent / "corpus"
#: Longest sentence about an input.
MOST_LETTERS = 800
STILLS = Path(__file__).parents[2] / "sample_images" / "stills"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A kind of input: its strategy, the check of the result, and the names of inputs that once
    failed.
    """

    name: str
    inputs: st.SearchStrategy[Any]
    check: Callable[[Any], None]


def check_sentence(words: str) -> None:
    """Assert that this is a complete sentence for a person."""
    assert words
    assert len(words) <= MOST_LETTERS
    assert "Traceback" not in words
    assert words.encode()


# Pictures


def _seed_picture(kind: str, **options: Any) -> bytes:
    x, y = np.meshgrid(np.linspace(0, 255, 120), np.linspace(0, 255, 96))
    ripple = 127 + 120 * np.sin(x / 9) * np.cos(y / 7)
    rgb = np.stack([x, y, ripple], axis=-1).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(rgb).save(file, kind, **options)
    return file.getvalue()


def _seed_pictures() -> list[bytes]:
    import pillow_heif

    pillow_heif.register_heif_opener()
    exif = Image.Exif()
    exif[0x0112] = 6
    made = [_seed_picture(kind) for kind in ("PNG", "WEBP", "AVIF", "BMP", "GIF", "HEIF")]
    made += [_seed_picture("JPEG", exif=exif), _seed_picture("JPEG", progressive=True)]
    made += [
        _seed_picture("TIFF", compression=compression) for compression in (None, "tiff_lzw", "jpeg")
    ]
    return made + [path.read_bytes() for path in sorted((CORPUS / "picture").iterdir())]


def check_picture(content: bytes) -> None:
    """A file gives a frame, or a sentence with the reason why it cannot."""
    answer = decode_frame(content, "picture", max_pixels=4_000_000, max_one_pass_pixels=0)
    if isinstance(answer, UnreadablePicture):
        check_sentence(answer.reason)
    else:
        assert isinstance(answer, Frame)
        assert answer.image.dtype == np.uint8
        assert answer.image.shape[2] == 3
    whole = decode_whole(content)
    assert whole is None or whole.shape[2] == 3


# Clips


def _seed_clips() -> list[bytes]:
    import cv2

    made = []
    with tempfile.TemporaryDirectory() as folder:
        for ending, code in (("mp4", "mp4v"), ("avi", "MJPG"), ("webm", "VP80")):
            path = Path(folder) / f"clip.{ending}"
            writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), 30, (96, 96))
            for level in (40, 90, 200):
                writer.write(np.full((96, 96, 3), level, np.uint8))
            writer.release()
            made.append(path.read_bytes())
    return made + [path.read_bytes() for path in sorted((CORPUS / "clip").iterdir())]


def check_clip(content: bytes) -> None:
    """A clip is watched to its end, or a sentence gives the reason why not; the end is an event."""
    events: list[dict[str, Any]] = []
    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        Path(file.name).write_bytes(content)
        with contextlib.suppress(SourceError):
            watch(file.name, on_event=keep_json(events))
    (end,) = [event for event in events if event["type"] == "ended"]
    check_sentence(end["reason"])


# JSON forms

_DISCS = [{"id": "a", "x_mm": 0, "y_mm": 200}, {"id": 2, "x_mm": 100, "y_mm": -100}]
_AFTER = [{**disc, "state": "flat"} for disc in _DISCS]
_SHOT = {"id": "s", "x_mm": 0, "y_mm": -300, "speed_mm_s": 1500, "direction_deg": 91}
SCENE = {"board": {"post_count": 8}, "physics": {"friction": 0.09}, "discs": _DISCS, "shot": _SHOT}
SCENARIO = {
    "rules": "nca",
    "options": {"game_points": 100},
    "shooter_team": "red",
    "shooter_id": "s",
    "teams": {"a": "blue", "2": "red", "s": "red"},
    "before": [*_DISCS, {"id": "s", "x_mm": 0, "y_mm": -300}],
    "contacts": [["s", "a"], ["s", "post:1"]],
    "after": [*_AFTER, {"id": "s", "state": "ditch"}],
}
PAIR = {key: SCENARIO[key] for key in ("shooter_id", "before", "after")} | {
    "shooter_team": "red",
    "teams": SCENARIO["teams"],
}
SHOTS = {"shots": [{"shooter_id": "s", "before": PAIR["before"], "after": PAIR["after"]}]}
MATCH = json.loads(match_as_json((SETUP, ROUND, Disputed(about="a line"))))
PROFILE = json.loads(format_profile(CalibrationProfile(board=BoardSpec(), disc=DiscSpec())))


def _check_form(parse: Callable[[Any], Any]) -> Callable[[bytes], None]:
    """The check of a JSON file that a command reads."""

    def check(content: bytes) -> None:
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            path = Path(file.name)
            path.write_bytes(content)
            try:
                with name_file_in_errors(path):
                    parse(read_object(path))
            except InputFileError as error:
                check_sentence(str(error))

    return check


def _simulate(content: Any) -> None:
    from scorer.physics.engine import simulate

    simulate(parse_scene(content))


def _judge(content: Any) -> None:
    from scorer.rules.board_geometry import BoardGeometry
    from scorer.rules.judge_shot import judge

    scenario = parse_scenario(content)
    judge(scenario.shot, scenario.rules, BoardGeometry())


def _parse_shots(content: Any) -> None:
    from scorer.physics.scene import TableSpec

    parse_shots(content, TableSpec())


def check_match_file(content: bytes) -> None:
    """An exported match is imported and can be shown, or is refused in a sentence."""
    text = content.decode("utf-8", "replace")
    for read, write in ((match_from_json, match_as_json), (match_from_csv, match_as_csv)):
        with contextlib.suppress(MatchError):
            log = read(text)
            assert fold(log).setup.sides
            assert write(log).encode()


def check_profile(content: bytes) -> None:
    """A profile is read, or refused in a sentence."""
    with contextlib.suppress(ProfileError):
        parse_profile(content.decode("utf-8", "replace"))


# The command line

_WORDS = (
    "match", "new", "add", "shot", "disc", "rule", "undo", "show", "list", "export", "import",
    "rules", "judge", "simulate", "score", "nca", "mayday", "Ann", "Bob", "60", "45", "legal",
    "--json", "--match", "--csv", "--cmn", "--option", "--starter", "--games", "--format",
    "--profile", "--points", "--twenties", "--dispute", "--ruling", "--zone", "--side", "--help",
    "two", "teams", "game_points=50", "a1:Ann:15", "/dev/null", "/dev/full", ".", "nowhere.json",
)  # fmt: skip
_STARTS = (
    ["match", "new", "Ann", "Bob"], ["match", "add", "60", "45"], ["match", "shot"],
    ["match", "show"], ["match", "list"], ["match", "export"], ["match", "undo"], ["match"],
    ["rules"], ["judge"], ["simulate"], ["score"], ["match", "import"], ["match", "disc"],
    ["match", "rule", "1"], ["match", "add", "--dispute"], [],
)  # fmt: skip
arguments = st.tuples(
    st.sampled_from(_STARTS), st.lists(st.sampled_from(_WORDS) | odd_text, max_size=5)
).map(lambda parts: [*parts[0], *parts[1]])


class _Output(io.TextIOWrapper):
    """Standard output that accepts any text, as a terminal does."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode()  # type: ignore[attr-defined]


def check_command(words: list[str]) -> None:
    """A command ends with 0, 1 or 2, and gives the reason in sentences unless it is 0."""
    out, err = _Output(), _Output()
    before = sys.stdout, sys.stderr
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        sys.stdout, sys.stderr = out, err
        try:
            code = main(
                [*words[:1], "--db", "m.db", *words[1:]] if words[:1] == ["match"] else words
            )
        except SystemExit as end:
            code = int(str(end.code))
        finally:
            sys.stdout, sys.stderr = before
    assert code in (0, 1, 2)
    said = err.text()
    assert bool(said) or code == 0
    assert len(said) < 3000
    assert "Traceback" not in said
    assert out.text() is not None


TARGETS = (
    Target(name="picture", inputs=mutated_bytes(_seed_pictures()), check=check_picture),
    Target(name="clip", inputs=mutated_bytes(_seed_clips()), check=check_clip),
    Target(name="simulate", inputs=mutated_json_text([SCENE]), check=_check_form(_simulate)),
    Target(name="judge", inputs=mutated_json_text([SCENARIO]), check=_check_form(_judge)),
    Target(name="explain", inputs=mutated_json_text([PAIR]), check=_check_form(parse_pair)),
    Target(name="speed", inputs=mutated_json_text([SHOTS]), check=_check_form(_parse_shots)),
    Target(
        name="truth",
        inputs=mutated_json_text([json.loads((STILLS / "cropped_board.json").read_text())]),
        check=_check_form(parse_truth),
    ),
    Target(
        name="match",
        inputs=mutated_json_text([MATCH]) | mutated_bytes([match_as_csv((SETUP, ROUND)).encode()]),
        check=check_match_file,
    ),
    Target(name="profile", inputs=mutated_json_text([PROFILE]), check=check_profile),
    Target(name="command", inputs=arguments, check=check_command),
)
