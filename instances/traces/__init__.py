"""Readers of cluster traces; each says what it left out or adjusted."""
