"""The commands of ``crokinole``, one a file: its arguments and its work."""
