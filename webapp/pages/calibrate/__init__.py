"""The wizard that measures a board, its discs and a camera: its steps and their pages."""
