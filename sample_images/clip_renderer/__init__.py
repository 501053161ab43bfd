"""Frames of a round as a camera above the board sees it, drawn fast and with exact places.

It contains only the appearance; places and times, from rules and physics, are passed in.
"""
