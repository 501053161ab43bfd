"""Ways to play crokinole: the options, the five sets as data, where each choice comes from, and
what the rules in force say of one shot.

What a disc scores belongs to scorer.zones, whose turn it is and who wins to scorer.match.
"""
