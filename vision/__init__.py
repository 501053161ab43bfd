"""From an image to the board's pose and the discs on it, in millimetres with covariance."""
