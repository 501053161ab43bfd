"""Scenes from a seed: boards, rooms, cameras and the places of discs.

All randomness of a picture is here; the resulting scene is completely defined.
"""
