"""Tracks: the discs that blobs are assigned to from frame to frame, and what their paths tell.

What a blob looks like, and whether a hand covers it, does not belong here.
"""
