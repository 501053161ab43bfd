"""Two cameras on one board: their clocks, their boards at rest merged into one, and watching with
both.

The evidence of a shot, from any camera, belongs to ``scorer.referee.shot``.
"""
