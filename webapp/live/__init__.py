"""The live referee while a server runs: the boards with their matches and event streams, processes
that referee a camera and their supervisor, the recorder that enters a camera's events, clips of
shots, and the state that the scoreboard publishes. ``workers`` has the other processes of a hall.

`scorer.referee` judges shots; requests and pages are handled elsewhere.
"""
