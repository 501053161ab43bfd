"""Readings of pictures and clips compared with the truth, as counts and errors.

Timing, printing and the places of collections are handled elsewhere.
"""
