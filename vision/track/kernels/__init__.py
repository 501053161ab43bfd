"""Compiled kernels of the costs of every frame in motion: bare arrays in, bare arrays out.

Each does in one pass the work of dozens of small array operations, and is called by the stage whose
method it is, which has the thresholds. Kernels are compiled when first called and kept (``jit``).
Anything that a photograph needs does not belong here: loading numba takes longer than reading one.
"""
