"""The live referee's page, and a phone as its camera."""
