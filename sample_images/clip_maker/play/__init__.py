"""What happens in a clip: its board, camera and players, and a round that physics moves and the
rules judge.

Neither times nor pixels.
"""
