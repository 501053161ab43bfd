"""The events of a match: frozen values, and as JSON.

``fold`` applies the events. Players and sides are numbered from 0; amounts by side are in the order
of the sides. Databases store this JSON, so a field is never renamed or removed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from typing import Annotated, Any, get_args

from calibration.phrase import Phrase
from calibration.user_error import Trouble
from scorer.match.seen_shot import Place, SeenShot, read_length
from scorer.match.sighting import Sighting
from scorer.named_event import NamedEvent
from scorer.rules.choices import CalledFoul, Format
from scorer.texts import quote
from scorer.value_readers import read_fields, read_options, read_text
from scorer.zone_values import TWENTY


class MatchError(Trouble, ValueError):
    """An impossible event; the text is one sentence for the user."""


class ScoreSource(StrEnum):
    """The source of a round's score."""

    HAND = "hand"
    PHOTO = "photo"
    SHOTS = "shots"


def _read_disc_name(value: Any) -> str:
    return str(value) if type(value) is int else read_text(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscInZone:
    """A disc on the board, its side and its zone there.

    place_mm  its resting position as a camera saw it, which does not affect equality; None if not
              measured
    sigma_mm  one standard deviation of that place in the deciding direction
    """

    id: Annotated[str, _read_disc_name]
    side: int
    zone: int
    place_mm: Place | None = field(default=None, compare=False)
    sigma_mm: Annotated[float, read_length] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted(NamedEvent):
    """A match begins. ``players`` sit clockwise; two against one names the lone player first.

    colours     of the sides' discs, as named in picture readings, "" for an unknown one; empty
                if nobody named them
    at_board    the number of the board on which it is played, from 1
    tournament  the numbers of the tournament and of this match in it; or empty
    teams       as in ``TeamsNamed``
    """

    rules: str
    format: Format
    players: tuple[str, ...]
    options: Annotated[tuple[tuple[str, Any], ...], read_options] = ()
    starter: int = 0
    games: int = 1
    colours: tuple[str, ...] = ()
    at_board: int = 1
    tournament: tuple[int, ...] = ()
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamsNamed(NamedEvent):
    """The names of two pairs; "" for a pair known by its players' names. Empty if both are."""

    teams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterChosen(NamedEvent):
    """The starter of the round that is about to begin: drawn, or decided by the loser."""

    player: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted(NamedEvent):
    """The round begins: its clock runs from the time at which this was recorded.

    minutes  the round's time; None without a limit
    """

    minutes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotPlayed(NamedEvent):
    """A disc was shot; ``board`` holds the discs after the referee has removed and restored some.

    twenties  20s of this shot by side
    reshoot   a beginner's shot that is taken again, so it used up no disc
    seen      the disc's path as a camera saw it; None without a camera
    sighting  the camera's observation behind this; None without one
    is_unseen  whether a person only counted the shot, without recording where its disc went
    """

    player: int
    verdict: str
    board: tuple[DiscInZone, ...]
    twenties: tuple[int, ...]
    faults: tuple[str, ...] = ()
    reshoot: bool = False
    seen: SeenShot | None = None
    sighting: Sighting | None = None
    is_unseen: bool = False

    def made_twenty(self, side: int) -> bool:
        """Whether it was a 20 of that side, as a person entered or a camera saw."""
        return self.twenties[side] > 0 or (self.seen is not None and self.seen.zone == TWENTY)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwentyCounted(NamedEvent):
    """A 20 is added for a side in this round, or removed (``change`` -1).

    sighting  the camera's observation behind this; None if a person counted it
    """

    side: int
    change: int = 1
    sighting: Sighting | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoulCalled(NamedEvent):
    """A person called a foul that no camera sees, and removed discs for it."""

    player: int
    foul: CalledFoul
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundScored(NamedEvent):
    """A round is over. Without points it is counted from the board and the 20s of its shots.

    corrections  a person's corrections of the picture's reading, one short sentence each
    colours      of the sides' discs as the picture names them, which the match learns; or empty
    waits        whether it counts only once the round's open questions are answered
    counts       the sides' discs as a person counted them: 20s, 15s, 10s and 5s; or empty
    sighting     the camera's observation behind this; None if a person entered it
    board        the discs in a picture; empty if the board of the round's shots counts
    """

    points: tuple[int, ...] | None = None
    twenties: tuple[int, ...] | None = None
    source: ScoreSource = ScoreSource.HAND
    corrections: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    waits: bool = False
    counts: tuple[tuple[int, ...], ...] = ()
    sighting: Sighting | None = None
    board: tuple[DiscInZone, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCorrected(NamedEvent):
    """A round of the match, numbered from 1, had another score; empty fields do not change."""

    round: int
    points: tuple[int, ...]
    twenties: tuple[int, ...]
    source: ScoreSource = ScoreSource.HAND
    corrections: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    board: tuple[DiscInZone, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscCorrected(NamedEvent):
    """A disc on the board belongs to another side or zone than was read."""

    disc: str
    zone: int | None = None
    side: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardCorrected(NamedEvent):
    """The current board, entered although the log has too few shots; a question about them is open.

    missed  number of unseen shots, in the order of turns
    about   the question, as in ``Disputed``; shot: the shot that revealed the missed ones
    by_camera  whether the camera raised it, not a person
    sighting   the camera's observation, if nothing else in the log follows from it
    """

    missed: int
    board: tuple[DiscInZone, ...]
    about: str
    shot: str | None = None
    by_camera: bool = False
    sighting: Sighting | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputed(NamedEvent):
    """A dispute is recorded. Disputes are numbered from 1.

    shot       the name under which the disputed shot is saved, if there is one
    by_camera  whether the camera raised it rather than a person
    """

    about: str
    disc: str | None = None
    shot: str | None = None
    by_camera: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraSaw(NamedEvent):
    """A camera saw something that could not be entered yet, or does not fit the match.

    It is entered automatically once the match knows the sides' colours and the starter.

    is_left_out  whether it did not fit, so undo has nothing to take back
    """

    sighting: Sighting
    is_left_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ColoursChosen(NamedEvent):
    """The colours of the sides' discs; "" for an unknown one.

    The camera's observations of the round with that number, from 1, and of later ones are entered
    again.
    """

    colours: tuple[str, ...]
    round: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterSeen(NamedEvent):
    """This player, and not the expected starter, made the round's first shot."""

    player: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterCorrected(NamedEvent):
    """The starter of the round with that number, from 1; its camera shots are then scored again."""

    player: int
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled(NamedEvent):
    """A dispute is settled, with the changes on the board, if any.

    twenties  20s by side in addition to those counted; empty for none
    """

    dispute: int
    decision: str
    disc: str | None = None
    zone: int | None = None
    side: int | None = None
    twenties: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRanOut(NamedEvent):
    """The time for a round has run out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShootoutPlayed(NamedEvent):
    """A tie-break: the sides' numbers of 20s; 0 for sides that do not take part."""

    twenties: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchMoved(NamedEvent):
    """The match moves to another board."""

    at_board: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone(NamedEvent):
    """Undoes the last event in force; entries that were left out remain so."""


Event = (
    MatchStarted
    | StarterChosen
    | RoundStarted
    | ShotPlayed
    | TwentyCounted
    | FoulCalled
    | RoundScored
    | RoundCorrected
    | DiscCorrected
    | BoardCorrected
    | Disputed
    | Ruled
    | TimeRanOut
    | ShootoutPlayed
    | MatchMoved
    | CameraSaw
    | ColoursChosen
    | StarterSeen
    | StarterCorrected
    | TeamsNamed
    | Undone
)

_EVENT_TYPES: dict[str, type[Any]] = {kind.type: kind for kind in get_args(Event)}


#: Fields that earlier versions do not know, and that are left out at their defaults.
_LATER = frozenset(
    {"at_board", "tournament", "seen", "counts", "sighting", "by_camera", "is_unseen"}
    | {"board", "place_mm", "sigma_mm", "teams"}
)


def event_json(event: Event) -> dict[str, object]:
    """An event as JSON: its type and its fields, with fields added later only if they are not at
    their defaults.
    """
    return {"type": event.type, **_to_json_value(event)}


def event_from_json(content: object) -> Event:
    """The event from JSON, with missing fields at their defaults. Raises ``MatchError``."""
    kind = content.get("type") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(kind, str) or kind not in _EVENT_TYPES:
        raise MatchError(Phrase("%(content)s is not a match event.", content=quote(content)))
    values = {name: value for name, value in content.items() if name != "type"}
    try:
        event: Event = read_fields(_EVENT_TYPES[kind], values)
    except (TypeError, ValueError) as error:
        raise MatchError(
            Phrase("An event of type %(kind)s cannot be read (%(error)s).", kind=kind, error=error)
        ) from None
    return event


def _to_json_value(value: Any) -> Any:
    if is_dataclass(value):
        is_short = isinstance(value, Sighting)
        return {
            part.name: _to_json_value(content)
            for part in fields(value)
            if (content := getattr(value, part.name)) != part.default
            or not (is_short or part.name in _LATER)
        }
    if isinstance(value, StrEnum):
        return str(value)
    return [_to_json_value(item) for item in value] if isinstance(value, tuple) else value
