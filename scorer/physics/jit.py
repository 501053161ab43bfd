"""How kernels are compiled: once, kept beside the source, exact arithmetic, without Python's lock.

Knows numba, so that nothing else has to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compile_kernel(kernel: Kernel) -> Kernel:
    """The kernel, compiled when it is first called. It keeps its types for the type checker."""
    return cast(Kernel, njit(cache=True, nogil=True, error_model="numpy", fastmath=False)(kernel))
