"""Practice: a player's drill of a dozen shots, as a log of events, and its results.

A shot's outcome is entered by a person or seen by a camera; ``webapp`` displays it.
"""
