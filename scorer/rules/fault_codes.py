"""The faults of a shot: their names in JSON and on the command line, and the calls."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from calibration.phrase import Phrase


class FaultCode(StrEnum):
    """The kind of fault."""

    NO_CONTACT = "no_contact"
    OPEN_BOARD = "open_board"
    PLACEMENT = "placement"
    OUT_OF_BOUNDS = "out_of_bounds"  # a removal, not a foul

    @classmethod
    def _missing_(cls, value: object) -> FaultCode:
        """Keep the code of a newer version by its name."""
        member = str.__new__(cls, value)
        member._name_, member._value_ = "NEWER", str(value)
        return member


_CALLS: Mapping[str, str] = {
    FaultCode.NO_CONTACT: Phrase("no contact"),
    FaultCode.OPEN_BOARD: Phrase("open board missed"),
    FaultCode.PLACEMENT: Phrase("wrong placement"),
    FaultCode.OUT_OF_BOUNDS: Phrase("out"),
}


def call_fault(code: str) -> str:
    """The call of a fault, such as "no contact"; the fault's name if it is not listed here."""
    return _CALLS.get(code, code.replace("_", " "))
