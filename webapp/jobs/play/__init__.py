"""Possible shots and other likely outcomes: computed in the worker's process when it is idle, and
kept by their subject.
"""
