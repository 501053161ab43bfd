"""Ground floor: the board, the discs, the camera, and the terms that vision and scorer share."""
