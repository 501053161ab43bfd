"""Shots that a camera saw, as practices and matches keep them, and practices while a server runs.

What a practice is, and what its shots come to, is ``scorer.practice``'s.
"""
