"""Two cameras on one board: their clocks, their boards at rest as one, and watching both.

What a shot's evidence says, whoever saw it, belongs to ``scorer.referee.shot``.
"""
