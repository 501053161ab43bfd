"""One shot, in the order in which it is worked out: the flick, seen or inferred; the shooter,
recovered twenties and displacements, which with the boards make its evidence; contact hypotheses;
the verdict by the rules, the physics check, and the ruling that rests on both.

Changes between shots do not belong here.
"""
