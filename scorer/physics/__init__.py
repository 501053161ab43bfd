"""Motion of discs: sliding, spinning, collisions with discs and posts, falls into hole or ditch.

Mechanics in board mm, event by event without time steps. It contains no rules, pictures or files.
`scorer.physics.inverse` finds the flick from observed boards.
"""
