"""Suffixes of picture files; the first one is the default."""

GANTT = (".html", ".png", ".svg")
PLOT = (".png", ".svg", ".pdf")
