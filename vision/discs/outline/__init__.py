"""The outline of a disc in the picture: its contour model, edge profiles across it, the trained
edge network, and the fits of one disc or of all together.

Whether a circle is a disc is decided elsewhere.
"""
