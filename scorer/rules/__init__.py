"""Ways to play crokinole: the options, the five sets as data, the source of every choice, and the
verdict of the rules in force on one shot.

`scorer.zones` has zones of discs, `scorer.match` turns and winners.
"""
