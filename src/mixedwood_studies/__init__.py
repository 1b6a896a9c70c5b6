"""Studies of published papers: one folder each, with definition, published values and methods."""
