"""Opens a film or stream with PyAV, with metadata in any encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from av.container import InputContainer

#: From this version on, PyAV reads titles that are not UTF-8, and no longer takes this argument.
_LENIENT_VERSION = 19


def open_container(source: str, **arguments: Any) -> InputContainer:
    """``av.open`` for reading, which also accepts titles that are not UTF-8.

    Raises the errors of ``av.open``.
    """
    # Loaded only for films: photos do not need it.
    import av

    if int(av.__version__.split(".")[0]) < _LENIENT_VERSION:
        arguments["metadata_errors"] = "ignore"
    container: InputContainer = av.open(source, "r", **arguments)
    return container
