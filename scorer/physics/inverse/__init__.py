"""The inverse problem: the flick that turns one observed board into another, its likelihood
compared with a hand that moved discs, and the friction and restitution that follow from many shots.

`scorer.physics` has the forward simulation; observing boards is done elsewhere.
"""
