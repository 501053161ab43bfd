"""Practice while a server runs: what a camera sees of it, entered and published.

What a practice is, and what its shots come to, is ``scorer.practice``'s.
"""
