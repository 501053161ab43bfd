"""Accuracy, speed and memory of reading, refereeing, physics, rules and event streams, measured
against known truth, and the floors that accuracy may not fall below.

The program itself needs nothing in this package.
"""
