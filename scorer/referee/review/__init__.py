"""The review of a film of one disputed shot: the live referee's verdict with all frames used,
forwards and backwards, and the picture of the nearest moment.

Registration of a moving camera is ``vision.register``'s, rules and evidence ``scorer.referee``'s.
"""
