"""Practice: one player's drill of a dozen shots, as a log of events, and what it comes to.

A shot's outcome is entered by a person or seen by a camera; how that is told belongs to webapp.
"""
