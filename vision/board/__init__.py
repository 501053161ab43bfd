"""The board in a picture: edges, ring hypotheses, ring lines, fit, azimuth, features and picture
quality.

Discs, and everything that moves, belong elsewhere.
"""
