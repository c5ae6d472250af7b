"""Slurm's accounts, read and written, and what its trackable resources amount to."""
