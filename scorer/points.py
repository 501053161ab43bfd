"""What a disc can be worth, the same in every rule set; imports nothing, so that all may use it."""

from __future__ import annotations

#: A disc that lies flat and wholly in the hole.
TWENTY = 20
#: A disc clear inside the 15-, the 10- and the 5-line, and one that is inside none.
ZONES = (15, 10, 5, 0)
