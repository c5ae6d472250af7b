"""Queues of Kueue, read and written."""
