"""Track a board through a fixed camera: frames → tracker events (a board found, moved, lost from
sight, or at rest with the tracks between).

Rules, disc names and the meaning of a change do not belong here.
"""
