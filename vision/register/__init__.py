"""Registration of a moving camera: the frames of a film to the board, and the film to a fixed
camera's view.

Tracking, and reading of the frames, are done elsewhere.
"""
