"""The commands of ``crokinole``, one per file: its arguments and its work."""
