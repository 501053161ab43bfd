"""Other processes of the same hall: workers that referee cameras, on this machine or on others, and
how a server hears of them and of other servers.

Which worker has which camera is decided by the database (`scorer.store.camera_store`).
"""
