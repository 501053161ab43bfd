"""The uncertainty of a counted share: Wilson's score interval."""

from __future__ import annotations

import math

#: Quantile of the normal distribution for an interval that contains the truth 95 times in 100.
_QUANTILE = 1.96


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """The 95% interval of a share with ``successes`` in ``trials``; (0, 1) without trials.

    Wilson, J. Am. Stat. Assoc. 22, 209 (1927). Raises ``ValueError`` for impossible counts.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} cannot be.")
    if trials == 0:
        return 0.0, 1.0
    share, z2 = successes / trials, _QUANTILE**2 / trials
    middle = (share + z2 / 2) / (1 + z2)
    half = math.sqrt(share * (1 - share) * z2 + z2 * z2 / 4) / (1 + z2)
    return max(0.0, middle - half), min(1.0, middle + half)
