"""Long-running jobs: the worker process with its time limit, calibration and snapshot sessions, the
photo queue, kept profiles, and the referee's requested source.

No route, form or template belongs here.
"""
