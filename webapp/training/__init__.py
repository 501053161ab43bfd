"""Programs that fit the trained parts of ``vision`` again: the edge network and the rim classifier.

The models themselves, and what uses them, stay in ``vision``.
"""
