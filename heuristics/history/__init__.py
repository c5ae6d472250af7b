"""Schedules of runs that clusters logged."""
