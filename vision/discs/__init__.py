"""Discs on a rectified board: Hough hypotheses, rim and colour classification, team colours, and
occluders.

This package decides which circles are discs. It does not find the board, follow discs over time or
score them.
"""
