"""The values of the zones, as plain numbers, so that counting points loads no measuring code."""

#: The value of a disc flat and wholly in the hole, the same in every rule set.
TWENTY = 20
#: The values of a disc clear inside the 15-, the 10- and the 5-line, and inside none.
ZONES = (15, 10, 5, 0)
#: The zones in which a person counts a side's discs when a round is over.
COUNTED_ZONES = (TWENTY, 15, 10, 5)
