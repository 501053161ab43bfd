"""One shot, in order: the flick, seen or inferred; the shooter, recovered twenties and
displacements, which form its evidence with the boards; contact hypotheses; the verdict by the
rules, the physics check, and the ruling based on both.

Changes between shots are handled elsewhere.
"""
