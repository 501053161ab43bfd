"""The discs' radius, from its measurement in a picture and the usual sizes of discs.

Most sets have the regulation diameter, to within half a millimetre. Other sets, and boards of a
different scale, may have any diameter. Bayes' theorem is used with a mixture of two normal priors:
a measurement near the regulation size is pulled towards it, and one far from it is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.disc import DiscSpec
from calibration.parameters import StageParameters, parameter


class DiscRadiusParameters(StageParameters):
    """Parameters of ``disc_radius``; the spread of other sets is ``DiscSpec``'s own sigma."""

    #: Sigma of the radius of discs of regulation size, and the share of such sets.
    made_sigma_mm: float = parameter(
        0.25,
        unit="mm",
        source="makers state diameters of 31 to 32.5 mm, about the regulation 31.75 mm",
    )
    made_share: float = parameter(
        0.5, unit="share", source="measured: 9 of 20 photographed sets are within 0.6 mm of it"
    )


PARAMS = DiscRadiusParameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscRadius:
    """The discs' radius, with one sigma."""

    mm: float
    sigma_mm: float


def weigh_radius(seen: DiscRadius) -> DiscRadius:
    """The posterior of the radius from a measurement."""
    made = DiscSpec()
    prior = np.array([PARAMS.made_sigma_mm, made.radius_sigma_mm]) ** 2
    total = prior + seen.sigma_mm**2
    share = np.array([PARAMS.made_share, 1 - PARAMS.made_share])
    off_mm = seen.mm - made.radius_mm
    weight = share / np.sqrt(total) * np.exp(-(off_mm**2) / (2 * total))
    weight /= weight.sum()
    radii_mm = made.radius_mm + prior / total * off_mm
    mm = float(weight @ radii_mm)
    variance = float(weight @ (prior * seen.sigma_mm**2 / total + (radii_mm - mm) ** 2))
    return DiscRadius(mm=mm, sigma_mm=float(np.sqrt(variance)))
