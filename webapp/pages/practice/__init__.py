"""Practice: its pages, and drills as templates and the API show them."""
