"""Pictures for people: the overlay on a photo with its summary panel and magnified close calls, and
the overlay of a fit.

Everything drawn is passed in; nothing is measured or decided here.
"""
