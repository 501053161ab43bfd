"""Boards in grazing views, where circles are narrow ellipses: by long arcs, or by a vote."""
