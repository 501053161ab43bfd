"""The live referee while a server runs: its process and supervisor, the recorder that enters its
events into the match, the clip store, and the state that the scoreboard publishes.

Deciding a shot is `scorer.referee`'s; requests and pages are not known here.
"""
