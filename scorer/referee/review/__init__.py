"""The review of a film of one disputed shot: the live referee's verdict from all frames, forwards
and backwards, and the picture of the closest moment.

``vision.register`` registers a moving camera; ``scorer.referee`` has rules and evidence.
"""
