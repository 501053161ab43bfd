"""Pictures for people: the overlay on a photo, with its summary panel and magnified close calls,
and the overlay of a board fit.

All data are passed in as arguments; nothing is measured or decided here.
"""
