"""The calibration wizard as a state machine, and the control points by which a person shows it a
board.

It reads no pictures and draws no pages: a detector is passed in, and the command line and the
browser show its states.
"""
