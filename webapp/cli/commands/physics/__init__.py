"""The commands that only need the physics: JSON of a board in, its outcome out.

Commands that read pictures are one folder up.
"""
