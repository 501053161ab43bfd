"""Long-running jobs: the worker process with its time limit, calibration and photo sessions, the
photo queue, saved profiles, and the referee's requested source.

Routes, forms and templates do not belong here.
"""
