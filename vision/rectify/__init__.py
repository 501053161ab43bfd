"""The board seen from straight above: planes of a board whose view is known, resampled to
millimetres, and grey values as linear light.

Neither boards nor discs are searched for here.
"""
