"""The command line ``crokinole``: parser, exit codes, and what its commands share.

Nothing is computed here, and results alone go to standard output.
"""
