"""Readings of pictures and clips compared with the truth, as counts and errors.

This package does not measure time, print, or know where collections are.
"""
