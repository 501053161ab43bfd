"""Names of events in JSON: the ``type`` of an event is the name of its class in snake case."""

from __future__ import annotations

import re
from typing import ClassVar


class NamedEvent:
    """Base of the events of a log or a stream.

    ``type`` is the class's name in snake case, without a closing ``Event``. It is stored and
    published, so an event's class keeps its name.
    """

    __slots__ = ()
    type: ClassVar[str]

    def __init_subclass__(cls) -> None:
        """Derive the type, such as ``not_refereeing`` of ``NotRefereeingEvent``."""
        name = cls.__name__.removesuffix("Event")
        cls.type = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
