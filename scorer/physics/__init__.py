"""Where discs go: sliding, spinning, striking discs and posts, falling into the hole or the ditch.

Mechanics in board mm, event by event without time steps. Rules, pictures and files are
known to nobody here. From the observed boards to the flick: scorer.physics.inverse.
"""
