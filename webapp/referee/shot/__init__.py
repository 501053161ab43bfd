"""One shot: its reconstruction from tracks and boards, contact hypotheses, the ruling, the physics
check and recovered twenties.

What happens between shots does not belong here.
"""
