"""Discs as regions in another colour than the empty surface, for oblique views, in which faces are
a few pixels high and outlines show as much side wall as face.

`vision.discs.outline` fits outlines to a fraction of a pixel, and `vision.discs.classification`
distinguishes discs from other things.
"""
