"""Binarization strategies for optimal trees."""
