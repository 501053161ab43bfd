"""Discs as regions in another colour than the empty surface, for oblique views in which a face is a
few pixels high and an outline is side wall as much as face.

`vision.discs.outline` fits outlines to a fraction of a pixel, and `vision.discs.classification`
distinguishes discs from other things.
"""
