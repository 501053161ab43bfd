"""Ways to play crokinole, each by its name."""
