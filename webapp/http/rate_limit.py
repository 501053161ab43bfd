"""Rate limits per address, with token buckets."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from time import monotonic

#: Number of addresses remembered; the address unused for longest is dropped first.
_ADDRESSES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitRate:
    """At most ``burst`` at once, and ``per_s`` per second in the long run."""

    burst: float
    per_s: float


class RateLimiter:
    """The remaining permits of addresses; all threads may use it."""

    def __init__(self, rate: PermitRate, *, clock_s: Callable[[], float] = monotonic) -> None:
        """Every address begins with a full bucket."""
        self._rate, self._clock_s, self._lock = rate, clock_s, Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str) -> float:
        """Take a permit: 0 if there was one, otherwise the seconds until the next."""
        with self._lock:
            now_s = self._clock_s()
            level, filled_s = self._buckets.pop(who, (self._rate.burst, now_s))
            level = min(self._rate.burst, level + (now_s - filled_s) * self._rate.per_s)
            is_allowed = level >= 1.0
            self._buckets[who] = (level - is_allowed, now_s)
            while len(self._buckets) > _ADDRESSES:
                self._buckets.popitem(last=False)
        return 0.0 if is_allowed else (1.0 - level) / self._rate.per_s
