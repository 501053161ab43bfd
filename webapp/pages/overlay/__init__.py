"""The overlay for streaming software, and its settings page."""
