"""A learned second opinion on a found board: its discs, objects over it, and the hole's state.

The networks only propose discs: base centres and zones come from ``vision/discs``.
"""
