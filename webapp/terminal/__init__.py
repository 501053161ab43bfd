"""The command line's output for people: console, progress bar, score table, and the notice while
the physics compile.

No command and no file format belongs here.
"""
