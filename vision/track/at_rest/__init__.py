"""A still board read with its background model: its discs, and patch registration of a disc
between two pictures.

Whether the board is still is decided elsewhere.
"""
