"""One frame's motion: the motion gate, disc blobs and their appearance, occluders, and the tracks
that blobs are assigned to.

Reading a still board to a tenth of a millimetre does not belong here.
"""
