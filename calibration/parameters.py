"""Stage parameters: the assumptions of one stage, each value with its unit and its source.

A stage declares one class and reads its values from ``PARAMS``::

    class RingsParameters(StageParameters):
        #: A line is 1.2 to 3.2 mm wide: its middle is averaged over this.
        core_mm: float = parameter(1.0, unit="mm", source="lines of photographed boards")

    PARAMS = RingsParameters()

The stage has the name of its module without the floor, here ``board.rings``, unless the class sets
another ``stage``. ``PARAMS`` holds no values. Reading an attribute looks it up in the settings in
force, which are the defaults unless the caller is inside ``using``::

    with using({"board.rings.core_mm": 1.5}):
        reading = read_photo(frame)

Settings belong to the context (``contextvars``) that entered ``using``, so two settings can coexist
in one process. A thread has the defaults unless it runs in a copy of its starter's context. Read
parameters in functions only: a value read at import or as an argument's default does not follow the
settings, and a test refuses it. A cached function takes ``cached_by_settings``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, NoReturn, TypeVar, cast

_STAGES: dict[str, type[StageParameters]] = {}
#: The range of values of each unit. Values with a unit in ``_SIGNED`` may have any sign; others
#: have the sign of their default, and only whole numbers can be 0.
_BOUNDS = {
    "share": (0.0, 1.0),
    "probability": (0.0, 1.0),
    "cosine": (-1.0, 1.0),
    "grey value": (0.0, 255.0),
    "°": (-360.0, 360.0),
    "deg": (-360.0, 360.0),
    "rad": (-2 * math.pi, 2 * math.pi),
}
_SIGNED = ("log", "log odds", "log odds per weighted Lab", "stops", "σ")


class ParameterError(ValueError):
    """A parameter that does not exist or cannot have this value; the text gives the reason in one
    sentence.
    """


class _Settings(dict[str, Any]):
    """Values by ``STAGE.FIELD`` that differ from their defaults; immutable once in force."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


_IN_FORCE: ContextVar[_Settings] = ContextVar("settings", default=_Settings())  # noqa: B039


class StageParameter:
    """One assumed value of a stage: an attribute that follows the settings in force.

    name    ``STAGE.FIELD``
    unit    of the value, "" for a pure number or a count
    source  where the value comes from: the data it was measured on, the paper or the geometry it
            follows from, or "chosen" with the reason
    """

    __slots__ = ("default", "name", "source", "unit")

    def __init__(self, default: Any, unit: str, source: str) -> None:
        """A parameter whose name comes from the class that declares it."""
        self.default, self.unit, self.source, self.name = default, unit, source, ""

    def __get__(self, _: object, __: object = None) -> Any:
        return _IN_FORCE.get().get(self.name, self.default)

    def __set__(self, _: object, __: object) -> NoReturn:
        raise AttributeError(f"{self.name} cannot be set; vary it by `with using(...)`")


def parameter(default: Any, *, unit: str, source: str) -> Any:
    """Declare a field of ``StageParameters``; type checkers see the annotated type."""
    return StageParameter(default, unit, source)


class StageParameters:
    """Base of the parameters of one stage.

    ``stage`` is its name on the command line: its module's, without the floor, unless it sets one.
    """

    stage: ClassVar[str] = ""
    #: The parameters that the stage declares, by name.
    declared: ClassVar[Mapping[str, StageParameter]] = {}

    def __init_subclass__(cls) -> None:
        """Name and register the stage, so that ``declared_stages`` lists it."""
        cls.stage = cls.__dict__.get("stage") or cls.__module__.partition(".")[2]
        cls.declared = {
            name: value for name, value in vars(cls).items() if isinstance(value, StageParameter)
        }
        for name, value in cls.declared.items():
            value.name = f"{cls.stage}.{name}"
        _STAGES[cls.stage] = cls


@contextmanager
def using(values: Mapping[str, Any]) -> Iterator[None]:
    """Apply values by ``STAGE.FIELD`` in this context, on top of those already in force.

    The modules of their stages must have been imported. Raises ``ParameterError`` for a name that
    does not exist and a value of the wrong type or out of range.
    """
    checked = {name: check_value(name, value) for name, value in values.items()}
    token = _IN_FORCE.set(_Settings(_IN_FORCE.get() | checked))
    try:
        yield
    finally:
        _IN_FORCE.reset(token)


_Function = TypeVar("_Function", bound=Callable[..., Any])


def cached_by_settings(
    maxsize: int | None = None,
) -> Callable[[_Function], _Function]:
    """``functools.lru_cache`` for a function that reads parameters: one cache for every combination
    of settings.
    """

    def decorate(function: _Function) -> _Function:
        @functools.lru_cache(maxsize)
        def compute(_: _Settings, *args: Any) -> Any:
            return function(*args)

        @functools.wraps(function)
        def look_up(*args: Any) -> Any:
            return compute(_IN_FORCE.get(), *args)

        return cast(_Function, look_up)

    return decorate


def declared_stages() -> Mapping[str, type[StageParameters]]:
    """Every stage whose module has been imported, by name."""
    return dict(sorted(_STAGES.items()))


def describe_missing_stage(stage: str) -> str:
    """A sentence about a stage that does not exist: the nearest name, or how to list all stages."""
    import difflib  # loaded only for a wrong name

    alike = difflib.get_close_matches(stage, _STAGES, n=1)
    if alike:
        return f"There is no stage {stage!r}; did you mean {alike[0]}?"
    groups = ", ".join(sorted({name.partition(".")[0] for name in _STAGES}))
    return (
        f"There is no stage {stage!r}. Stage names begin with {groups}; "
        "`crokinole bench --parameters` lists them all."
    )


def find_parameter(name: str) -> StageParameter:
    """The parameter ``STAGE.FIELD`` of a declared stage. Raises ``ParameterError`` if there is
    none.
    """
    stage, _, field_name = name.rpartition(".")
    kind = _STAGES.get(stage)
    if kind is None:
        raise ParameterError(describe_missing_stage(stage))
    if field_name not in kind.declared:
        known = ", ".join(kind.declared)
        raise ParameterError(f"{stage} has no {field_name!r}; it has {known}.")
    return kind.declared[field_name]


def check_value(name: str, value: Any) -> Any:
    """The value of ``STAGE.FIELD``, converted to the type of its default. Raises
    ``ParameterError``.
    """
    declared = find_parameter(name)
    return _check_number(declared, value, declared.default)


def _check_number(declared: StageParameter, value: Any, default: Any) -> Any:
    name = declared.name
    if isinstance(default, tuple):
        if isinstance(value, list | tuple) and len(value) == len(default):
            pairs = zip(value, default, strict=True)
            return tuple(_check_number(declared, *pair) for pair in pairs)
        raise ParameterError(f"{name} takes lists of {len(default)} numbers, such as [1,2].")
    if isinstance(default, str) and isinstance(value, str):
        return value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value):
        raise ParameterError(f"{name} takes numbers, not {value!r}.")
    if isinstance(default, int) and not isinstance(value, int):
        raise ParameterError(f"{name} takes whole numbers, not {value}.")
    if declared.unit in _BOUNDS:
        low, high = _BOUNDS[declared.unit]
        if not low <= value <= high:
            limits = f"from {low:g} to {high:g}"
            raise ParameterError(f"{name} ({declared.unit}) must be {limits}, not {value:g}.")
    elif declared.unit not in _SIGNED and not _has_sign(value, default):
        side = "below" if default < 0 else "at least" if isinstance(default, int) else "above"
        limit = f"{side} 0 {declared.unit}".rstrip()
        raise ParameterError(f"{name} must be {limit}, not {value:g}.")
    return type(default)(value)


def _has_sign(value: float, default: float) -> bool:
    if value == 0:
        return default == 0 or isinstance(default, int)
    return (value < 0) == (default < 0)
