"""How kernels are compiled: by numba, once, kept beside the source, without Python's lock.

Arithmetic stays that of IEEE doubles (no ``fastmath``), so that the same input gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compile_kernel(kernel: Kernel) -> Kernel:
    """The kernel, compiled when it is first called. It keeps its types for the type checker."""
    return cast(Kernel, njit(cache=True, nogil=True, error_model="numpy", fastmath=False)(kernel))
