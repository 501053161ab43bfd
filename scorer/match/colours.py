"""The colours of the sides: those that the match knows, and those that follow from them.

With one side and one colour left, they belong together, so in a match of two sides one answer is
enough.
"""

from __future__ import annotations

from collections.abc import Sequence

from calibration.phrase import Phrase
from scorer.match.events import MatchError
from scorer.match.sighting import Sighting
from scorer.match.state import MatchSetup

#: The colour of a side that is not known.
UNKNOWN = ""
#: The colour people mean by "dark" for unpainted discs; no picture is read as this colour.
DARK_WOOD = Phrase("dark wood")
#: Names of unpainted discs in pictures, light to dark.
_WOODS = ("cream", "natural", "brown")


def check_colours(sides: Sequence[str], colours: Sequence[str]) -> None:
    """Raise ``MatchError`` unless every side has its own colour."""
    if not all(colour.strip() for colour in colours):
        raise _colour_error(sides)
    check_known_colours(sides, colours)


def check_known_colours(sides: Sequence[str], colours: Sequence[str]) -> None:
    """Raise ``MatchError`` if two sides share a colour, or a side has no entry."""
    known = [colour for colour in colours if colour != UNKNOWN]
    if (
        len(colours) != len(sides)
        or len(set(known)) != len(known)
        or not all(colour.strip() for colour in known)
    ):
        raise _colour_error(sides)


def _colour_error(sides: Sequence[str]) -> MatchError:
    return MatchError(
        Phrase("Give each side its own colour, in this order: %(sides)s.", sides=", ".join(sides))
    )


def list_colours(setup: MatchSetup) -> tuple[str, ...]:
    """The colours of the sides' discs, ``UNKNOWN`` if not known."""
    return setup.colours or (UNKNOWN,) * len(setup.sides)


def name_as_match(colours: Sequence[str], seen: Sequence[str]) -> dict[str, str]:
    """The match's names for seen colours: of two wood colours, the darker is *dark wood*."""
    named = {colour: colour for colour in seen}
    woods = [wood for wood in _WOODS if wood in seen and wood not in set(colours) - {"natural"}]
    is_only_wood = len(woods) == 1 and not {"natural", UNKNOWN} & set(colours)
    if DARK_WOOD in colours and (len(woods) == 2 or woods == ["brown"] or is_only_wood):
        if "natural" in colours:
            named[woods[0]] = "natural"
        named[woods[-1]] = DARK_WOOD
    return named


def choose_colour(setup: MatchSetup, side: int, colour: str) -> tuple[str, ...]:
    """The sides' colours after one side gets a colour, which is taken from any other side."""
    others = [
        list_colour if list_colour != colour else UNKNOWN for list_colour in list_colours(setup)
    ]
    others[side] = colour
    return tuple(others)


def find_sides(setup: MatchSetup, sighting: Sighting) -> dict[str, int] | None:
    """The sides of the colours in a sighting; None if any is unknown."""
    sides = _match_colours(setup, sighting)
    return sides if all(colour in sides for colour in sighting.colours) else None


def _match_colours(setup: MatchSetup, sighting: Sighting) -> dict[str, int]:
    """The sides of the colours seen by a camera, as far as the match knows them."""
    colours, seen = list_colours(setup), _list_seen(sighting)
    names = name_as_match(colours, seen)
    sides = {colour: colours.index(names[colour]) for colour in seen if names[colour] in colours}
    left = [colour for colour in seen if colour not in sides]
    unknown = [side for side, colour in enumerate(colours) if colour == UNKNOWN]
    unseen = [side for side in range(len(colours)) if side not in sides.values()]
    # a side is known, and the camera calls the other side's colour by another name
    free = unknown or (unseen if sides else [])
    if len(left) == 1 and len(free) == 1:
        sides[left[0]] = free[0]
    return sides


def find_unknown(setup: MatchSetup, sighting: Sighting) -> str | None:
    """The first colour of a sighting without a known side; None if all are known."""
    sides = _match_colours(setup, sighting)
    return next((colour for colour in sighting.colours if colour not in sides), None)


def may_ask(setup: MatchSetup, sighting: Sighting) -> bool:
    """Whether an unknown colour may belong to a side; if not, no side of this match plays it."""
    seen = _list_seen(sighting)
    return any(colour not in seen for colour in list_colours(setup))


def _list_seen(sighting: Sighting) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*sighting.colours, *sighting.teams)))


def learn_colours(setup: MatchSetup, sides: dict[str, int]) -> tuple[str, ...]:
    """The sides' colours with those that follow from a sighting."""
    colours = list(list_colours(setup))
    for colour, side in sides.items():
        if colours[side] == UNKNOWN and colour not in colours:
            colours[side] = colour
    return tuple(colours) if any(colours) else ()
