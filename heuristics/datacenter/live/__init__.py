"""Dispatching in somebody's own program, one event at a time."""
