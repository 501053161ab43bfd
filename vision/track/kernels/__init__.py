"""Compiled kernels for the work of every frame in motion: plain arrays in, plain arrays out.

A kernel does the work of dozens of small array operations in one pass. It is called by the stage
whose method it is, and the stage has the thresholds. Kernels are compiled on their first call and
stored (``jit``). Code needed for photos does not belong here, because loading numba takes longer
than reading a photo.
"""
