"""The inverse problem: which flick turns one observed board into another, how likely each
explanation is against a hand that moved discs, and which friction and restitution many shots
imply.

The forward simulation belongs to scorer.physics; how boards were observed is known to nobody here.
"""
