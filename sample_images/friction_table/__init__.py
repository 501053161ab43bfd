"""The friction of a sliding and spinning disc, tabulated for the simulator."""
