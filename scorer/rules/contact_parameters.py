"""The distance from its old position at which a disc counts as moved; without NumPy, for
matches.
"""

from __future__ import annotations

from typing import ClassVar

from calibration.parameters import StageParameters, parameter


class ContactParameters(StageParameters):
    """Parameters for inferring unseen contacts."""

    stage: ClassVar[str] = "rules.contacts"

    #: A disc farther than this from its old position was moved.
    moved_mm: float = parameter(
        2.5,
        unit="mm",
        source="a base's place is known to 1.2 mm at 95%: 0.49 mm per coordinate, 0.69 mm for "
        "the difference of two places, which exceeds 2.5 mm by chance once in 700 discs"
        " (Rayleigh)",
    )


PARAMS = ContactParameters()
