"""Readings of pictures and clips compared with the truth, as counts and errors.

Nothing here measures time, prints, or knows where collections lie.
"""
