"""Robust statistics on plain arrays: medians, and nonlinear least squares with Tukey's biweight.

The functions are independent of the numbers' meaning.
"""
