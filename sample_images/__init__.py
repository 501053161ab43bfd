"""Photo-like pictures of crokinole boards with their truth, and the renderer that makes them."""
