"""The review of a film of one disputed shot: what the live referee would say, with all frames used,
forwards and backwards, and what the nearest moment looked like.

Registration of a moving camera is ``vision.register``'s, rules and evidence ``scorer.referee``'s.
"""
