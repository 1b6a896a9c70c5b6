"""Methods that only a paper needs, to be put beside those of the library."""
