"""Every kind of input for a few seconds, and every file that once caused a failure; `make fuzz`
runs longer.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from http_targets import http_targets
from hypothesis import HealthCheck, Phase, given, settings
from targets import CORPUS, TARGETS, Target

#: Inputs may be large on purpose, and are not printed.
pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")

#: Number of inputs per target, which takes some seconds. A clip takes longest, because its frames
#: are searched.
EXAMPLES = {"clip": 8, "socket": 40, "api": 40}
CHECKS = {target.name: target.check for target in TARGETS}


def fuzz(target: Target, examples: int) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(target.inputs)
    def check(sent: object) -> None:
        target.check(sent)

    check()


@pytest.mark.parametrize("target", TARGETS, ids=lambda one: one.name)
def test_nothing_that_is_handed_in_makes_it_fall(target: Target) -> None:
    fuzz(target, EXAMPLES.get(target.name, 60))


@pytest.mark.parametrize("number", range(4), ids=("api", "json", "pages", "socket"))
def test_nothing_that_is_sent_makes_the_server_fall(number: int) -> None:
    target = http_targets()[number]
    fuzz(target, EXAMPLES.get(target.name, 60))


@pytest.mark.parametrize(
    "path", sorted(path for path in CORPUS.rglob("*") if path.is_file()), ids=lambda one: one.name
)
def test_what_once_did_harm_does_none(path: Path) -> None:
    CHECKS[path.parent.name](path.read_bytes())
