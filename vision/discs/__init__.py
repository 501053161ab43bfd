"""Discs on a rectified board: Hough hypotheses, rim and colour classification, team colours, and
occluders that are no disc.

Which circle is a disc is decided here; finding the board, following discs over time and scoring
them are not.
"""
