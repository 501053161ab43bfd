"""The overlay for streaming software, and the page that chooses it."""
