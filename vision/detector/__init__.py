"""A learned second opinion on a found board: discs, objects over it, the hole's state.

It proposes and never measures: bases and zones come from ``vision/discs``.
"""
