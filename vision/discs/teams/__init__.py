"""The teams of a board's discs: their colours, which disc is of which, and what they are called."""
