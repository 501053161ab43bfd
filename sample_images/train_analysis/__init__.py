"""Self-play of simulated rounds, and the value network fitted to it."""
