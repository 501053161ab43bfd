"""Decodes pictures, clips, cameras and streams into upright frames with timestamps.

A source that cannot be read gives an error in one sentence. This package does not interpret the
content of a frame.
"""
