"""Pictures, clips, cameras and streams, decoded into upright frames with their times, or an error
in one sentence.

This package does not interpret the content of a frame.
"""
