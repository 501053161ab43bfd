"""Frames of a round as a camera above the board sees it: quick to draw, with exact places.

Only looks belong here; rules and physics do not: what lies where, and when, is passed in.
"""
