"""The boards of a running server: each with its match, its referee and its own event stream, the
tournament's matches that are played there, and all of them at a glance for the wall.

What one board does by itself is `webapp.runtime`'s.
"""
