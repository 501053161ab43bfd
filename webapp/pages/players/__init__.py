"""Pages about players: everybody who played, and one with matches, shots and practice."""
