"""Queues of schedulers on Kubernetes, read and written: Kueue, Volcano, KAI."""
