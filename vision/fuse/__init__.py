"""Two cameras on one board: their readings registered to one board frame and fused to one state.

What moves between boards at rest, and what anything scores, does not belong here.
"""
