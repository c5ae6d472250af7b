"""Kinds of pictures by the ending of their names; the first is shown first."""

GANTT = (".html", ".png", ".svg")
PLOT = (".png", ".svg", ".pdf")
