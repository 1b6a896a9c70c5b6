"""Helpers of the tests: random problems, readers of HTML and SVG, real data."""
