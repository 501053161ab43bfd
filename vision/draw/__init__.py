"""Pictures for people: the overlay on a photo, with its summary panel and magnified close calls,
and the overlay of a board fit.

The drawings only show their arguments; they measure and decide nothing.
"""
