"""Audits: the best that was possible, its proof, and where the time went."""
