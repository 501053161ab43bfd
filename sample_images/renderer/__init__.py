"""A path-traced crokinole board, from a fully explicit description of the scene."""
