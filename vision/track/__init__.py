"""Track a board through a fixed camera: frames → tracker events (a board found, moved, lost from
sight, or at rest with the tracks between).

``tracker`` is a state machine: ``states`` are its types, ``transitions`` every way between them,
``locate`` and ``follow`` the effect of a frame on it out of sight of the board and in sight of it.

Rules, disc names and the meaning of a change do not belong here.
"""
