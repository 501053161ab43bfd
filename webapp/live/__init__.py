"""The live referee while a server runs: the boards with their matches and event streams, processes
that referee a camera and their supervisor, the recorder that enters a camera's events, clips of
shots, and the state that the scoreboard publishes. Other processes of a hall are in ``workers``.

Deciding a shot is `scorer.referee`'s; requests and pages are not known here.
"""
