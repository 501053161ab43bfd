"""Compiles kernels with numba, caches them beside the source, and runs them without Python's lock.

Arithmetic stays that of IEEE doubles (no ``fastmath``), so the same input gives the same bits. A
cached kernel loads without numba's compiler. With numba's own ``cache=True``, the tracker's kernels
take 0.72 s of CPU to load instead of 0.42 s, and the physics 1.04 s instead of 0.82 s, at every
start. So this module replaces numba's cache object, which is not a public interface;
``test_what_was_compiled_is_loaded_without_what_compiles_it`` fails if numba changes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


class _KernelCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """numba's own cache of a function, without its compiler. Kernels run without the declarations
    that numba needs to infer types, and are linked only to its memory management. The compiler is
    loaded only when a kernel must be compiled.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The cached kernel for arguments of these types, or None."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def is_current(self) -> bool:
        """Whether the cache holds a kernel compiled from the current source."""
        return bool(self._cache_file._load_index())


def compile_kernel(kernel: Kernel) -> Kernel:
    """The kernel, compiled at its first call. Type checkers see its original type."""
    compiled = njit(nogil=True, error_model="numpy", fastmath=False)(kernel)
    compiled._cache = _KernelCache(kernel)  # as ``cache=True`` sets a cache
    return cast(Kernel, compiled)


def is_compiled(kernel: Any) -> bool:
    """Whether the cache has the kernel of the current source; file times are ignored."""
    is_current: bool = kernel._cache.is_current()
    return is_current
