"""The board seen from straight above: planes of a board whose view is known, resampled to
millimetres or along rings, and grey values as linear light.

Neither boards nor discs are searched for here.
"""
