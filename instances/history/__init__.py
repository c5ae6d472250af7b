"""Runs as clusters logged them: applications, jobs, stages, attempts, executors."""
