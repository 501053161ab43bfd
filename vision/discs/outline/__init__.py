"""The outline of a disc on the picture: its contour model, edge profiles across it, the trained
edge network, and the fits of one disc alone or of all together.

Whether a circle is a disc is not decided here.
"""
