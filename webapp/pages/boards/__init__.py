"""Boards in the browser: a board's scoreboard, all boards, and the addresses of a board's pages."""
