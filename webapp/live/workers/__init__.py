"""Other processes of the same hall: workers that referee cameras, on this computer or others, and
the messages between them and the servers.

The database decides which worker has which camera (`scorer.store.camera_store`).
"""
