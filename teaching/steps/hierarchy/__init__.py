"""Recorders of fair-share allocators.

In a fluid allocation leaves rise until something happens: a resource is full, a leaf has all its
tasks, a leaf rises above what it had. `flat_filling` and `limited_filling` find what happens when,
`narration` says it, `record` has the methods.
"""
