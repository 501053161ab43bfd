"""The board in a picture: edges, ring hypotheses, ring lines, fit, azimuth, features and picture
quality.

Discs and motion are handled elsewhere.
"""
