"""Recorders of fair-share allocators: leaves rise until something is full."""
