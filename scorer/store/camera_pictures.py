"""The newest pictures from cameras that workers referee, for a server's pages.

A server asks and the worker with the camera answers, so nothing is written while nobody watches. An
answer replaces the previous one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update

from scorer.store.database import DatabaseTables
from scorer.store.schema import CAMERA_PICTURES

_ROW = CAMERA_PICTURES.c


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraPicture:
    """A worker's answer.

    answered  number of the answer
    t_s       time of the source, s
    jpeg      the camera's picture, with the referee's reading drawn on it
    facts     the referee's speed, as its supervisor reports it
    """

    answered: int
    t_s: float
    jpeg: bytes
    facts: dict[str, object]


class CameraPictures(DatabaseTables):
    """The pictures of a database. All methods raise ``StoreError`` if it fails."""

    def ask(self, board: int) -> None:
        """Ask the worker that has a board's camera for one answer."""
        with self._database.write_transaction(is_hasty=True) as connection:
            chosen = update(CAMERA_PICTURES).where(_ROW.board == board)
            if not connection.execute(chosen.values(is_asked=1)).rowcount:
                connection.execute(insert(CAMERA_PICTURES).values(board=board, is_asked=1))

    def list_asked(self) -> tuple[int, ...]:
        """The boards whose pictures are asked for."""
        query = select(_ROW.board).where(_ROW.is_asked == 1).order_by(_ROW.board)
        return tuple(row.board for row in self._database.read_rows(query))

    def answer(self, board: int, t_s: float, jpeg: bytes, facts: dict[str, object]) -> None:
        """Answer a request."""
        values = {"t_s": t_s, "jpeg": jpeg, "facts": json.dumps(facts), "is_asked": 0}
        chosen = update(CAMERA_PICTURES).where(_ROW.board == board)
        self._database.write(chosen.values(answered=_ROW.answered + 1, **values), is_hasty=True)

    def read(self, board: int) -> CameraPicture | None:
        """The newest answer; None if there is none yet."""
        query = select(_ROW.answered, _ROW.t_s, _ROW.jpeg, _ROW.facts).where(_ROW.board == board)
        rows = self._database.read_rows(query.where(_ROW.jpeg.is_not(None)))
        if not rows:
            return None
        answered, t_s, jpeg, facts = rows[0]
        return CameraPicture(answered=answered, t_s=t_s, jpeg=jpeg, facts=json.loads(facts))

    def forget(self, board: int) -> None:
        """Discard the pictures, because the source was changed or closed."""
        self._database.write(delete(CAMERA_PICTURES).where(_ROW.board == board), is_hasty=True)
