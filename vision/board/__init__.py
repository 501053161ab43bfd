"""The board in a picture: edges, ring hypotheses, ring lines, fit, azimuth, features and picture
quality.

Discs and motion do not belong here.
"""
