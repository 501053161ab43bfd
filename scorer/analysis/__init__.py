"""Analysis of play: simulated shots judged, the value of positions, the best shots, and matches.

`scorer.physics` moves discs, `scorer.rules` gives verdicts, and `scorer.match` has matches.
"""
