"""Pages about players: a list of all players, and a page per player with matches, shots and
practice.
"""
