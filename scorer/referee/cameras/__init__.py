"""Two cameras on one board: their clocks, their boards at rest as one, and watching both.

The evidence of a shot, from any camera, belongs to ``scorer.referee.shot``.
"""
