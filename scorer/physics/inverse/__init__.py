"""The inverse problem: which flick turns one observed board into another, how likely each
explanation is against a hand that moved discs, and which friction and restitution many shots
imply.

The forward simulation is in scorer.physics; observing boards does not belong here.
"""
