"""The teams of a board's discs: their colours, the discs of the teams, and the teams' names."""
