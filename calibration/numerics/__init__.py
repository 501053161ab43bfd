"""Robust statistics on plain arrays: medians, and nonlinear least squares with Tukey's biweight.

Nothing here knows what the numbers measure.
"""
