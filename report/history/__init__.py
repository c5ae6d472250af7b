"""Audits as text and as pages."""
