"""The stages for one shot, in order: the flick, seen or inferred; its evidence, which consists of
the boards, the shooter, recovered twenties and displacements; contact hypotheses; the verdict by
the rules; the physics check; and the ruling based on both.

Changes between shots are handled elsewhere.
"""
