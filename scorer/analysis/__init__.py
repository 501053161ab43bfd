"""Advice on a shot: simulated shots judged by the rules in force, the best of them, and other
likely outcomes of a shot.

How discs move belongs to scorer.physics, what a rule says to scorer.rules.
"""
