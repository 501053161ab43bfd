"""The commands that ask the physics alone: JSON of a board in, its outcome out.

Commands that look at pictures are one floor up, beside this folder.
"""
