"""Registration of a moving camera: each frame of a film to the board, and the film to a camera that
stands still.

Tracking and reading of the frames do not belong here.
"""
