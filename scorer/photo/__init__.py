"""Turns a photo into a score that a person can check and correct: zones of discs, totals,
corrections, the round's points, and drawings of scores and shots.

`vision` reads the pixels; `webapp.pages` shows the pages.
"""
