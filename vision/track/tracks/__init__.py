"""Tracks: the discs that blobs are assigned to from frame to frame, and the facts of their paths.

The look of a blob, and whether a hand covers it, does not belong here.
"""
