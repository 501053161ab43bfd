"""Pictures, clips, cameras and streams → decoded upright frames with their times, or one sentence
on why there is none.

The content of a frame belongs elsewhere.
"""
