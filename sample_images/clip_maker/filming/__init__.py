"""The filming of a played round: the timeline of hands and discs, cuts and replays, the camera's
effects on a frame, and the MP4 file.

It contains no rules and no drawing.
"""
