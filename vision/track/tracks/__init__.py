"""Tracks: blobs assigned to discs from frame to frame, and the facts about their paths.

The appearance of a blob, and hands over it, are handled elsewhere.
"""
