"""Work that people start and come back for: the worker process with its time limit, calibration and
snapshot sessions, the photo queue, kept profiles, and what the referee is asked to watch.

No route, form or template belongs here.
"""
