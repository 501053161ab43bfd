"""Robust statistics on plain arrays: medians, and nonlinear least squares with Tukey's biweight.

The functions do not depend on the meaning of the numbers.
"""
