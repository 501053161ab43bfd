"""A path-traced crokinole board, from a complete description of the scene."""
