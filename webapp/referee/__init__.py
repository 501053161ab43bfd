"""The live referee: frames from any source to events, one verdict a shot."""
