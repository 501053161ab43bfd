"""Ground floor: the board, the discs, the camera, and the words that vision and scorer share."""
