"""The commands of ``crokinole``, one a file: its arguments, and what it does with them."""
