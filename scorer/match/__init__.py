"""A match as an append-only event log and the state that folding it gives: turns, rounds, games,
statistics, and reading and writing matches as JSON, CSV and Crokinole Match Notation.

Where logs are kept belongs to scorer.store, the legality of a shot to scorer.rules.
"""
