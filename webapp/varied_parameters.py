"""Parameters changed by the environment, for commands and the processes of a server.

``CROKINOLE_PARAMETERS='{"STAGE.FIELD": value}' crokinole score photo.jpg`` scores with another
threshold. Only the command line reads the environment.
"""

from __future__ import annotations

import json
import os
import pkgutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module

from calibration.parameters import ParameterError, StageParameters, declared_stages, using

#: The environment variable: a JSON object of ``"STAGE.FIELD": value``.
VARIABLE = "CROKINOLE_PARAMETERS"
#: Packages in which stages are declared.
_PACKAGES = ("vision", "calibration", "scorer")


@contextmanager
def vary_by_environment() -> Iterator[None]:
    """Apply the environment's values. Raises ``ParameterError``."""
    text = os.environ.get(VARIABLE)
    if not text:
        yield
        return
    import_stages()
    with using(_parse_variations(text)):
        yield


def import_stages() -> Mapping[str, type[StageParameters]]:
    """All stages of the program by name; a stage is known only once its module is imported."""
    for name in _PACKAGES:
        package = import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            import_module(module.name)
    return declared_stages()


def _parse_variations(text: str) -> dict[str, object]:
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ParameterError(f'{VARIABLE} is not JSON; write {{"STAGE.FIELD": value}}.') from error
    if not isinstance(content, dict):
        raise ParameterError(f"{VARIABLE} must be a JSON object of STAGE.FIELD and value.")
    return content
