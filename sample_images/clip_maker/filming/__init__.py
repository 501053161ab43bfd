"""When and how a played round is shown: the timeline of hands and discs, cuts and replays, what the
camera does in each frame, and the MP4 file.

Neither rules nor drawing.
"""
