"""A cache of the boards found in pictures: the same picture shows the same board.

Several tests watch the same film, and the search in its first frame takes as long as the next
hundred frames. The steps after the search (the fit, the discs, a track) are run every time.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import astuple
from hashlib import blake2b
from typing import Any

import pytest

from vision.board import find_board as searches

#: Number of pictures in the cache.
_MOST = 12
_KEPT: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
_SEARCH = searches._search_board


def keep_boards(patch: pytest.MonkeyPatch) -> None:
    """Search each picture only once, as long as it is in the cache."""
    patch.setattr(searches, "_search_board", _search_once)


def _search_once(frame: Any, prior: Any, efforts: Any) -> Any:
    picture = blake2b(frame.image.tobytes(), digest_size=16).digest()
    key = (picture, frame.image.shape, astuple(prior), efforts)
    if key not in _KEPT:
        _KEPT[key] = _SEARCH(frame, prior, efforts)
        if len(_KEPT) > _MOST:
            _KEPT.popitem(last=False)
    _KEPT.move_to_end(key)
    return _KEPT[key]
