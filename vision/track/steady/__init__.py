"""Steadying: makes the frames of a moving camera, or of light that flickers in bands, show the
board steadily.

Motion on the board is handled elsewhere.
"""
