"""Rectified images: planes of a board in a known view, resampled to millimetres or along rings; and
grey values converted to linear light.

This package does not search for boards or discs.
"""
