"""Accuracy on your boards: how a club's own photographs were read, and reports of wrong calls."""
