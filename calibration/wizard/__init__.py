"""The calibration wizard: its steps as values, its state machine, the combined measurements of its
pictures, a picture's quality, and the control points that a user drags onto a board.

It neither reads pictures nor draws pages: a detector is passed in, and the command line and the
browser show its states.
"""
