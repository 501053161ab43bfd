"""Functions for Python programs: read a picture, follow frames, judge, simulate or explain a shot.

The functions take plain values and return typed forms that the published JSON schemas
(``webapp/formats/schemas``) describe. Read their fields as attributes, or call ``model_dump`` for
JSON. Functions, arguments and forms stay the same within a major version; fields may be added.
Unreadable input raises ``FormError``, a ``ValueError`` whose text is one sentence. They write and
print nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # each function loads what it needs when it is called
    import numpy as np

    from calibration.profile import CalibrationProfile
    from scorer.referee.events import Event
    from vision.track.events import TrackerEvent
    from webapp.formats.outcome import OutcomeForm
    from webapp.formats.score import ScoredForm, UnscoredForm
    from webapp.formats.shot_boards import ExplainForm
    from webapp.formats.verdict import VerdictForm

__all__ = ["explain_shot", "follow_frames", "judge_shot", "read_image", "simulate_shot"]


def read_image(
    image: np.ndarray,
    *,
    profile: CalibrationProfile | None = None,
    focal_px: float | None = None,
    name: str = "image",
) -> ScoredForm | UnscoredForm:
    """The score of every disc on a photographed board, or the reason why there is none.

    image     (height, width, 3) uint8, BGR as OpenCV reads it, upright; or (height, width) grey
    profile   the sizes of the board, the discs and the camera, if measured
    focal_px  focal length in the image's pixels, if known

    Raises ``ValueError`` for another shape or type of ``image``.
    """
    from scorer.photo.score import score_reading
    from vision.io.array_frame import make_frame
    from vision.read_photo import read_photo
    from webapp.formats.form import check_form
    from webapp.formats.score import Scores, score_json

    frame = make_frame(image, name=name, focal_px=focal_px)
    score = score_reading(frame, read_photo(frame, profile=profile))
    return check_form(Scores, [score_json(score)])[0]


def follow_frames(
    frames: Iterable[tuple[float, np.ndarray]],
    *,
    rules: str = "nca",
    profile: CalibrationProfile | None = None,
) -> Iterator[Event]:
    """The events of a game in front of one fixed camera, without delay.

    frames   increasing times in seconds with pictures (height, width, 3) uint8, BGR, upright
    rules    the name of a rule set
    profile  the sizes of the board, the discs and the camera, if measured

    The last event is the round's score. Raises ``RulesError`` for an unknown rule set.
    """
    from scorer.referee.events import to_json
    from scorer.referee.live_referee import LiveReferee
    from scorer.referee.shot.physics_check import PhysicsCheck
    from scorer.rules.sets import rule_set
    from vision.track.tracker import BoardTracker
    from webapp.formats.event import AnyEvent
    from webapp.formats.form import check_form

    tracker = BoardTracker(profile)
    referee = LiveReferee(rule_set(rules), PhysicsCheck(profile=profile))
    last_s = 0.0

    def judge(tracker_events: Iterable[TrackerEvent]) -> Iterator[Event]:
        for tracker_event in tracker_events:
            for event in referee.handle_event(tracker_event):
                yield check_form(AnyEvent, to_json(event))

    for last_s, image in frames:
        yield from judge(tracker.process_frame(image, last_s))
    yield from judge(tracker.finish())
    for event in referee.end(last_s):
        yield check_form(AnyEvent, to_json(event))


def judge_shot(scenario: Mapping[str, object]) -> VerdictForm:
    """A shot's verdict: legal or not, the rule, discs to remove and to restore, and the resulting
    board.

    scenario  in the form of ``scenario.schema.json``: rules, teams, the board before, contacts in
              time order or None if nobody saw them, and the board after

    Raises ``FormError``.
    """
    from scorer.rules.board_geometry import BoardGeometry
    from scorer.rules.judge_shot import judge
    from webapp.formats.form import check_form
    from webapp.formats.scenario import parse_scenario
    from webapp.formats.verdict import VerdictForm, judgement_json

    sizes = BoardGeometry()
    parsed = parse_scenario(dict(scenario), sizes)
    verdict = judge(parsed.shot, parsed.rules, sizes)
    return check_form(VerdictForm, judgement_json(parsed, verdict))


def simulate_shot(scene: Mapping[str, object]) -> OutcomeForm:
    """Where every disc stops after a flick, its contacts, and its path.

    scene  in the form of ``scene.schema.json``: board, physics, discs and the shot

    The first call of a process compiles or loads the physics. Raises ``FormError``.
    """
    from scorer.physics.engine import simulate
    from webapp.formats.form import check_form
    from webapp.formats.outcome import OutcomeForm, outcome_json
    from webapp.formats.scene import parse_scene

    return check_form(OutcomeForm, outcome_json(simulate(parse_scene(dict(scene)))))


def explain_shot(pair: Mapping[str, object]) -> ExplainForm:
    """The flicks that turn one board into another, and the chance of an opponent's contact.

    pair  in the form of ``pair.schema.json``: a scenario without its contacts

    The first call of a process compiles or loads the physics. Raises ``FormError``.
    """
    from scorer.physics.inverse.explain import explain
    from webapp.formats.form import check_form
    from webapp.formats.shot_boards import ExplainForm, explain_json, parse_pair

    named = parse_pair(dict(pair))
    found = explain(named.table, named.pair)
    return check_form(ExplainForm, explain_json(named, found))
