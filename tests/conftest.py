"""What all tests share: the same examples on every run, and matrices worked on as users work."""

from hypothesis import settings

import webapp  # noqa: F401  it settles threads, before numpy is loaded

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
