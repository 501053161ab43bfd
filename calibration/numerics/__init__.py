"""Robust statistics on plain arrays: medians, and nonlinear least squares with Tukey's biweight.

The functions know nothing of what the numbers mean.
"""
