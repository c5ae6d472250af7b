"""Recorders of [SMSO]: matchmaking, queue ordering, outage verifying."""
