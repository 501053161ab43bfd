"""Accuracy on your boards: how a club's own photos were read, and reports of wrong calls."""
