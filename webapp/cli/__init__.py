"""The command line ``crokinole``: parser, exit codes, and the shared parts of its commands.

Nothing is computed here, and only results go to standard output.
"""
