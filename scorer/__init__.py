"""What discs are worth: zones, and (as they land) rules, matches and physics."""
