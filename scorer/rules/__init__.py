"""Ways to play crokinole: the options, the five rule sets as data, the source of every choice, and
the verdict on a shot under the rules in force.

`scorer.zones` has the zones of discs; `scorer.match` has turns and winners.
"""
