"""Discs as regions of another colour than the empty surface's, for views so steep that a face is a
few pixels high and an outline is side wall as much as face.

Fitting outlines to a fraction of a pixel is `vision.discs.outline`'s, telling discs from other
things `vision.discs.classification`'s.
"""
