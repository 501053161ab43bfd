"""Two cameras on one board: registers their readings to one board frame and fuses them.

Motion between boards at rest, and scores, are handled elsewhere.
"""
