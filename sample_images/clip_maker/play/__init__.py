"""The content of a clip: its board, camera and players, and a round moved by physics and judged by
the rules.

It contains no times or pixels.
"""
