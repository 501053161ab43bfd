"""The top floor: composes vision and scorer for people, on the command line and in the browser."""
