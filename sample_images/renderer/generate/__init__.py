"""Scenes from a seed: boards, rooms, cameras and where discs lie.

Everything random of a picture is here; the scene that comes back is fully explicit.
"""
