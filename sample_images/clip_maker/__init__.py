"""Clips of rounds with their truth: physics and rules play, the film's camera shoots."""
