"""Recorders of the heuristics of [HMHS]: HMHS and its controls."""
