"""Pages about players: a list of everybody who played, and a page per player with matches, shots
and practice.
"""
