"""Stage parameters: the assumptions of one stage, each value with its unit and its source.

A stage declares one class and reads its values from ``PARAMS``, made once a process::

    class RingParameters(StageParameters):
        stage: ClassVar[str] = "board.rings"

        #: A line is 1.2 to 3.2 mm wide: its middle is averaged over this.
        core_mm: float = parameter(1.0, unit="mm", source="lines of photographed boards")

    PARAMS = RingParameters.active()

They are frozen because a threshold that changes while frames go by makes results that nobody can
repeat, and no dataclasses because those compile half a dozen methods a class: with a hundred stages
a command would start a tenth of a second later. To see what accuracy does when one changes,
``crokinole bench --sweep STAGE.FIELD=V1,V2`` starts a process a value, which finds it in the
environment (``CROKINOLE_PARAMETERS``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, NoReturn, Self

#: The environment variable that varies parameters: a JSON object of ``"STAGE.FIELD": value``.
VARIABLE = "CROKINOLE_PARAMETERS"

_STAGES: dict[str, type[StageParameters]] = {}


class ParameterError(ValueError):
    """A parameter that does not exist or cannot have that value; one sentence that says why."""


class StageParameter(NamedTuple):
    """One value that a stage takes for granted.

    unit    of the value, "" for a pure number or a count
    source  where the value comes from: what it was measured on, the paper or the geometry that it
            follows from, or "chosen" with what it was chosen for
    """

    default: Any
    unit: str
    source: str


def parameter(default: Any, *, unit: str, source: str) -> Any:
    """A field of ``StageParameters``; type checkers see the type that it is annotated with."""
    return StageParameter(default, unit, source)


class StageParameters:
    """Base of the parameters of one stage; ``stage`` is its name on the command line."""

    stage: ClassVar[str] = ""
    #: What the stage declares by ``parameter``, by name.
    declared: ClassVar[Mapping[str, StageParameter]] = {}

    def __init_subclass__(cls) -> None:
        """Make the stage known, so that ``declared_stages`` lists it, and defaults readable."""
        cls.declared = {
            name: value for name, value in vars(cls).items() if isinstance(value, StageParameter)
        }
        for name, value in cls.declared.items():
            setattr(cls, name, value.default)
        _STAGES[cls.stage] = cls

    def __init__(self, **varied: Any) -> None:
        """The defaults but for what is varied. Raises ``TypeError`` for what is not declared."""
        for name in varied.keys() - self.declared.keys():
            raise TypeError(f"{type(self).__name__} has no parameter {name!r}")
        vars(self).update(varied)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    @classmethod
    def active(cls) -> Self:
        """The defaults, varied as the environment says. Raises ``ParameterError``."""
        varied = parse_variations(os.environ.get(VARIABLE, "")).get(cls.stage, {})
        for name in varied:
            check_variation(f"{cls.stage}.{name}")
        return cls(**varied)


def declared_stages() -> Mapping[str, type[StageParameters]]:
    """Every stage whose module was imported so far, by name."""
    return dict(sorted(_STAGES.items()))


def parse_variations(text: str) -> dict[str, dict[str, Any]]:
    """Values by stage and field, from JSON such as ``{"board.rings.clip_sigmas": 3}``.

    Raises ``ParameterError`` when the text is no such object.
    """
    if not text:
        return {}
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ParameterError(f'{VARIABLE} is not JSON; write {{"STAGE.FIELD": value}}.') from error
    if not isinstance(content, dict):
        raise ParameterError(f"{VARIABLE} must be a JSON object of STAGE.FIELD and value.")
    varied: dict[str, dict[str, Any]] = {}
    for name, value in content.items():
        stage, _, field_name = name.rpartition(".")
        varied.setdefault(stage, {})[field_name] = (
            tuple(value) if isinstance(value, list) else value
        )
    return varied


def describe_missing_stage(stage: str) -> str:
    """One sentence on a stage that does not exist: the nearest that does, or where they stand."""
    import difflib  # a wrong name alone needs it

    alike = difflib.get_close_matches(stage, _STAGES, n=1)
    if alike:
        return f"There is no stage {stage!r}; did you mean {alike[0]}?"
    groups = ", ".join(sorted({name.partition(".")[0] for name in _STAGES}))
    return (
        f"There is no stage {stage!r}; their names begin with {groups}, "
        "and `crokinole bench --parameters` lists all."
    )


def check_variation(name: str) -> None:
    """Raise ``ParameterError`` unless ``STAGE.FIELD`` is a parameter of a declared stage."""
    stage, _, field_name = name.rpartition(".")
    kind = _STAGES.get(stage)
    if kind is None:
        raise ParameterError(describe_missing_stage(stage))
    if field_name not in kind.declared:
        known = ", ".join(kind.declared)
        raise ParameterError(f"{stage} has no {field_name!r}; it has {known}.")
