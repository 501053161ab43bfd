"""What could be played, and what else could have come of a shot: worked out in the worker's process
when nothing else waits, and kept by what it is about."""
