"""The commands that ask the physics alone: JSON of a board in, what became of it out.

What looks at pictures is one floor up, beside this folder.
"""
