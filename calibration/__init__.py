"""Ground floor: the board, the discs, the camera, and the types that vision and scorer share."""
