"""What to play: simulated shots judged by the rules in force, the best of them, and what a shot
might as well have done.

How discs move belongs to scorer.physics, what a rule says to scorer.rules.
"""
