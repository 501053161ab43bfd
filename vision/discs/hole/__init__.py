"""The 20-hole: its appearance, the poses that a disc can have in it, the leaner matcher, and the
detector that decides between a twenty, a leaner and an empty hole.

Discs lying flat on the surface are found in `vision.discs.find_discs`.
"""
