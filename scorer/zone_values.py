"""The values of the zones: only numbers, so counting points loads no measuring code."""

#: What a disc is worth flat and wholly in the hole, the same in every rule set.
TWENTY = 20
#: What it is worth clear inside the 15-, the 10- and the 5-line, and inside none.
ZONES = (15, 10, 5, 0)
#: The zones in which a person counts a side's discs when a round is over.
COUNTED_ZONES = (TWENTY, 15, 10, 5)
