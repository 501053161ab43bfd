"""Registration of a moving camera: a film's frames to the board, and the film to a fixed camera's
view.

Other packages track discs and read the frames.
"""
