"""Recorders of fair-share allocators.

In a fluid allocation leaves rise until something happens: a resource is full, a leaf has all its
tasks, a leaf rises above what it had. `filling` finds what happens when, `narration` says it,
`record` has the methods.
"""
