"""Registration of a moving camera: each frame of a film to the board, and the film to a camera that
stands still.

What is tracked or read in the frames does not belong here.
"""
