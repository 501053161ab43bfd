"""Fields of discs, lit and photographed: what rims look like under all kinds of light."""
