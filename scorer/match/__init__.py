"""A match as an append-only event log, and its state: turns, rounds, games, statistics, and reading
and writing matches as JSON, CSV and Crokinole Match Notation.

`scorer.store` stores logs, and `scorer.rules` decides whether a shot is legal.
"""
