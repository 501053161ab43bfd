"""Motion of discs: sliding, spinning, collisions with discs and posts, falls into hole or ditch.

Mechanics in board mm, event by event without time steps. No rules, pictures or files here. The
flick from observed boards: scorer.physics.inverse.
"""
