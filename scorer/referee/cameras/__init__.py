"""Two cameras on one board: their clocks, their boards at rest merged into one, and watching with
both.

``scorer.referee.shot`` handles the evidence of a shot from any camera.
"""
