"""Search algorithms for binary splits of a nominal column."""
