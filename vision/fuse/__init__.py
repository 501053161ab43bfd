"""Two cameras on one board: their readings registered to one board frame and fused to one state.

Motion between boards at rest, and scores, are handled elsewhere.
"""
