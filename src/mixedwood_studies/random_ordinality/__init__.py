"""Random Ordinality Ensembles."""
