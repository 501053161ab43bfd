"""Compiled kernels for the work of every frame in motion, with plain arrays as arguments and
results.

A kernel does the work of dozens of small array operations in one pass. The stage that uses its
method calls it and holds the thresholds. Kernels are compiled on their first call and stored
(``jit``). Code needed for photos does not belong here, because loading numba takes longer than
reading a photo.
"""
