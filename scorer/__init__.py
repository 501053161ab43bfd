"""The value and the course of discs: a photograph's score, the referee, zones, rules, matches, the
store of matches, and physics.

How discs are seen belongs to vision, how boards are measured to calibration. Only photo and
referee import vision. Store and referee stand on match, match on rules, rules on zones; physics
stands beside the rules and knows none of them.
"""
