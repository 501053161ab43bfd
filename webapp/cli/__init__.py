"""The command line ``crokinole``: parser, exit codes, and the shared parts of its commands.

It computes nothing itself, and prints only results to standard output.
"""
