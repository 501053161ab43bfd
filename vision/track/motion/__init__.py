"""One frame's motion: the motion gate, disc blobs and their appearance, streaks, and occluders.

Which disc a blob is, and reading a still board to a tenth of a millimetre, do not belong here.
"""
