"""Ways to play crokinole: the options, the five sets as data, and where each choice comes from."""
