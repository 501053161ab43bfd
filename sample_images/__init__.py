"""Sample photographs with their truth beside them, and the renderer that made them."""
