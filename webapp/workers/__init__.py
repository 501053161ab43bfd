"""Cameras that other processes referee: workers, on this machine or on others, and how a server
hears of what they see.

Which worker has which camera is decided by the database (`scorer.store.camera_store`).
"""
