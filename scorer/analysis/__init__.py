"""Analysis of play: simulated shots judged, the value of positions, the best shots, and matches.

How discs move belongs to scorer.physics, the rules' verdicts to scorer.rules, a match to
scorer.match.
"""
