"""Pictures, clips, cameras and streams → decoded upright frames with their times, or an error of
one sentence.

The content of a frame belongs elsewhere.
"""
