"""One frame's motion: the motion gate, disc blobs and their appearance, and occluders.

Identifying a blob's disc, and reading a still board to a tenth of a millimetre, are done elsewhere.
"""
