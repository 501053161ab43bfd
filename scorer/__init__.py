"""What discs are worth and where they go: zones, rules, matches, the store of matches, and physics.

How discs were seen belongs to vision, how boards are measured to calibration. Inside, store stands
on match, match on rules, rules on zones; physics stands beside the rules and knows none of them.
"""
