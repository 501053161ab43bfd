"""The calibration wizard: its steps as values, its state machine, the measurements of its pictures
together, a picture's quality, and the control points by which a person shows it a board.

It reads no pictures and draws no pages: a detector is passed in, and the command line and the
browser show its states.
"""
