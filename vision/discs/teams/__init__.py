"""The teams of a board's discs: their colours, which disc is of which, and their names."""
