"""The inverse problem: the flick that turns one observed board into another, the likelihood of
explanations against a hand that moved discs, and the friction and restitution that many shots
imply.

`scorer.physics` has the forward simulation; observing boards is done elsewhere.
"""
