"""Track a board through a fixed camera: frames become tracker events (a board found, moved, lost
from sight, or at rest, with the tracks in between).

``tracker`` is a state machine. ``states`` are its types, ``transitions`` the changes between them,
``locate`` and ``follow`` handle a frame while the board is out of sight and in sight.

Rules, disc names and the meaning of a change are handled in ``scorer``.
"""
