"""Model trees for tables of categories and numbers."""
