"""Ensembles of trees that are grown and pruned on alternating halves of the rows."""
