"""Boards that a camera sees from the side, as flat ellipses: by long arcs, or by a vote."""
