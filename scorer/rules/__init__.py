"""Ways to play crokinole: the options, the five sets as data, the source of each choice, and the
verdict of the rules in force on one shot.

The zone of a disc belongs to scorer.zones, whose turn it is and who wins to scorer.match.
"""
