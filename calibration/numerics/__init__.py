"""Robust statistics on plain arrays: medians, and nonlinear least squares with Tukey's biweight.

Nothing here knows the meaning of the numbers.
"""
