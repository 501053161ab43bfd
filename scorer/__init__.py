"""The scores and the motion of discs: a photo's score, the referee, zones, rules, matches, the
store of matches, and physics.

`vision` sees discs; `calibration` measures boards. Only `photo` and `referee` import vision. Store
and referee build on match, match on rules, rules on zones; physics does not depend on the rules.
"""
