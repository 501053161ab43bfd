"""What makes a moving camera's frames, and those of light that flickers in bands, show the board
steadily.

Motion on the board does not belong here.
"""
