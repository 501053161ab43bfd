"""``crokinole judge``: a verdict on one shot in JSON, by the rules alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scorer.rules.board_geometry import BoardGeometry
from scorer.rules.judge_shot import ShotJudgement, ShotOutcome, Verdict, judge
from webapp.cli.console import print_result, warn
from webapp.formats.form import name_file_in_errors, read_object
from webapp.formats.scenario import parse_scenario
from webapp.formats.scene import load_table
from webapp.formats.verdict import judgement_json
from webapp.live.ruling_messages import describe_evidence

_VERDICTS = {
    Verdict.LEGAL: "Legal.",
    Verdict.FOUL: "Foul.",
    Verdict.NEEDS_REVIEW: "Needs a decision.",
}


def judge_scenario(scenario: Path, profile: Path | None, as_json: bool) -> None:
    """Judge the shot in a file and print the verdict."""
    table, _ = load_table(profile, warn)
    sizes = BoardGeometry(board=table.board, disc=table.disc)
    with name_file_in_errors(scenario):
        given = parse_scenario(read_object(scenario), sizes)
    judgement = judge(given.shot, given.rules, sizes)
    print_result(judgement_json(given, judgement), _judgement_lines(judgement), as_json=as_json)


def _judgement_lines(judgement: ShotJudgement) -> Iterator[str]:
    yield _VERDICTS[judgement.verdict]
    yield from _outcome_lines(judgement.outcome)
    for alternative in judgement.alternatives:
        yield f"If {alternative.when}: {_VERDICTS[alternative.outcome.verdict].lower()}"
        yield from (f"  {line}" for line in _outcome_lines(alternative.outcome))


def _outcome_lines(outcome: ShotOutcome) -> Iterator[str]:
    for fault in outcome.faults:
        evidence = "; ".join(describe_evidence(fault.evidence))
        yield f"{fault.code}: {fault.rule} Evidence: {evidence}."
    if outcome.remove:
        yield f"Remove {', '.join(outcome.remove)}."
    for spot in outcome.restore:
        yield f"Put {spot.id} back at ({spot.x_mm:z.1f}, {spot.y_mm:z.1f}) mm."
    for twenty in outcome.twenties:
        yield f"{twenty.id} is a 20 for team {twenty.team}."
    if outcome.reshoot:
        yield "The shooter may shoot again if any re-shoots are left."
