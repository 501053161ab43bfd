"""Ways to play crokinole: the options, the five sets as data, the source of each choice, and the
verdict of the rules in force on one shot.

Zones of discs are in scorer.zones, turns and winners in scorer.match.
"""
