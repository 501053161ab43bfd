"""Clips of rounds with their truth: physics and rules play the round, and a virtual camera films
it.
"""
