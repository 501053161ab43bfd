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
        source="computed: a base is known to 0.49 mm per coordinate (1.2 mm at 95%), and the "
        "difference of two places to 0.69 mm, which exceeds 2.5 mm by chance once in "
        "700 discs (Rayleigh)",
    )


PARAMS = ContactParameters()
