"""The commands that only need the physics: they read a board as JSON and print the outcome.

Commands that read pictures are one folder up.
"""
