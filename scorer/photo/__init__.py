"""From one photograph to a score that a person can check and correct: calling discs, totals,
corrections, the round's points, and the drawings of scores and shots.

Reading the pixels is `vision`'s, showing pages is `webapp.pages`'s.
"""
