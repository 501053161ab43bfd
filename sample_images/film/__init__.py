"""Frames of a round as a camera above the board sees it: quick to draw, with exact places.

Knows looks only. Refuses to know rules and physics: what lies where, and when, is passed in.
"""
