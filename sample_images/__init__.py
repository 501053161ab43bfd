"""Pictures and clips of crokinole boards with their truth, and the programs that make them."""
